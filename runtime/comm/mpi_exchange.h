// Messages between the members of a group that are under way together.
#ifndef SHEAF_RUNTIME_COMM_MPI_EXCHANGE_H
#define SHEAF_RUNTIME_COMM_MPI_EXCHANGE_H

#include "runtime/comm/mpi_job.h"
#include "runtime/core/communicator.h"

#include <span>
#include <vector>

namespace sheaf::rt::comm {

/// Sends and receives that are started one by one and waited for together.
/// Messages of one tag between two members keep their order. Used again after
/// each `finish` that succeeded.
class MpiExchange {
public:
  /// `ranks`: of the job, per member of the group, whose communicator is `comm`
  /// or, before it has one, the job's. `place` beats while MPI returns.
  MpiExchange(MpiJob &job, MPI_Comm comm, std::span<const int> ranks, StallWatch::Place &place)
      : job(job), comm(comm), ranks(ranks), place(place) {}
  /// Gives up what has not finished. Its memory may still be read until the job
  /// ends, which must be soon.
  ~MpiExchange();
  MpiExchange(const MpiExchange &) = delete;
  MpiExchange &operator=(const MpiExchange &) = delete;

  void send(size_t member, int tag, const std::byte *data, size_t bytes) {
    start(sending);
    sendPart(member, tag, data, bytes);
    start(sending);
  }
  void receive(size_t member, int tag, std::byte *data, size_t bytes) {
    start(receiving);
    receivePart(member, tag, data, bytes);
    start(receiving);
  }

  /// The same of one part of many. Small ones that follow each other travel as one message, so both sides must cut what
  /// goes from one to the other alike, and exchange nothing else in between.
  void sendPart(size_t member, int tag, const std::byte *data, size_t bytes) {
    add(sending, member, tag, data, bytes);
  }
  void receivePart(size_t member, int tag, std::byte *data, size_t bytes) {
    add(receiving, member, tag, data, bytes);
  }

  /// Waits for all. `isBusy`: it won't take long, so poll much and sleep little. Errors: a
  /// member did not do its part in time, the job has failed, MPI failed.
  Status finish(const CollectiveSite &site, bool isBusy);

private:
  struct Part {
    size_t member;
    bool isReceive;
  };

  /// What has been asked for and is not started yet: perhaps more can join it.
  struct Message {
    explicit Message(bool isReceive) : isReceive(isReceive) {}

    bool isReceive;
    size_t member = 0;
    int tag = 0;
    size_t bytes = 0;
    std::vector<MPI_Aint> addresses;
    std::vector<int> lengths;
  };

  void add(Message &message, size_t member, int tag, const std::byte *data, size_t bytes);
  /// Starts a message, if there is something in it.
  void start(Message &message);
  void start(const Message &message, void *data, int count, MPI_Datatype type);

  int peerOf(size_t member) const {
    return comm == job.comm() ? ranks[member] : static_cast<int>(member);
  }
  /// Tells whether all are done; `hasProgress`: some were.
  Status test(bool &isDone, bool &hasProgress);
  /// Who has to do something before the wait can end, and who does not.
  struct Roll {
    std::vector<int> late, waiting;
  };
  Roll callRoll() const;
  Status lateStatus(const CollectiveSite &site) const;
  /// Tells the user on behalf of all who wait, if this rank is on the host of the first rank.
  void warnOfWait(const CollectiveSite &site, double seconds) const;

  MpiJob &job;
  MPI_Comm comm;
  std::span<const int> ranks;
  StallWatch::Place &place;
  Status problem; ///< of starting
  Message sending = Message(/*isReceive=*/false), receiving = Message(/*isReceive=*/true);
  std::vector<MPI_Request> requests;
  std::vector<Part> parts; ///< of each request
  std::vector<int> finished;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_MPI_EXCHANGE_H
