// Processes that meet by connections: what does not fit is refused with its reason, and who ends is missed.
#include "runtime/comm/process_end.h"
#include "runtime/comm/tcp_communicator.h"
#include "runtime/comm/tcp_meeting.h"
#include "runtime/comm/tcp_socket.h"
#include "test/runtime/comm/free_port.h"

#include <future>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <thread>

namespace sheaf::rt::test {
namespace {

using comm::TcpPlace, comm::TcpWorld;
using ::testing::AllOf, ::testing::ContainsRegex, ::testing::HasSubstr;

/// What comes of the start of ranks at the given places, one after another; "" of those who have met.
std::vector<std::string> startAll(const std::vector<TcpPlace> &places, int timeoutMs = 20'000) {
  std::vector<std::future<std::string>> ranks;
  for (const TcpPlace &place : places)
    ranks.push_back(std::async(std::launch::async, [&place, timeoutMs]() -> std::string {
      auto world = TcpWorld::start(place, timeoutMs, TcpWorld::AtFailure::goOn);
      return world.isOk() ? "" : std::string(world.takeStatus().text());
    }));
  std::vector<std::string> errors;
  for (std::future<std::string> &rank : ranks)
    errors.push_back(rank.get());
  return errors;
}

TEST(Tcp, RanksOfOtherNumbersAreToldSo) {
  uint16_t port = freePort();
  for (const std::string &error :
       startAll({{0, 2, "localhost", port, ""}, {2, 3, "localhost", port, ""}}))
    EXPECT_THAT(error, ContainsRegex("rank 2 \\(host .+\\) was started with WORLD_SIZE=3, rank 0 "
                                     "with 2"));
}

TEST(Tcp, TwoOfOneRankAreToldSo) {
  uint16_t port = freePort();
  for (const std::string &error : startAll({{0, 3, "localhost", port, ""},
                                            {1, 3, "localhost", port, ""},
                                            {1, 3, "localhost", port, ""}}))
    EXPECT_THAT(error, ContainsRegex("two processes say that they are rank 1 \\(host .+\\)"));
}

TEST(Tcp, ARankOfAnotherJobIsRefusedAndTheJobGoesOn) {
  uint16_t port = freePort();
  std::vector<std::string> errors = startAll({{0, 2, "localhost", port, "this"},
                                              {1, 2, "localhost", port, "this"},
                                              {1, 2, "localhost", port, "that"}},
                                             /*timeoutMs=*/3000);
  EXPECT_EQ(errors[0], "");
  EXPECT_EQ(errors[1], "");
  // Once all have come nobody listens any more.
  EXPECT_THAT(errors[2], ::testing::AnyOf(HasSubstr("is that of another job (\"this\", not"),
                                          HasSubstr("can't reach rank 0"),
                                          HasSubstr("rank 0 has ended before")));
}

TEST(Tcp, RanksThatDoNotComeAreNamed) {
  uint16_t port = freePort();
  for (const std::string &error :
       startAll({{0, 4, "localhost", port, ""}, {2, 4, "localhost", port, ""}}, 500))
    EXPECT_THAT(error, HasSubstr("the start of the job: ranks 1, 3 did not come within 0.5 s; "
                                 "ranks 0, 2 wait"));
}

TEST(Tcp, AFirstRankThatIsNotThereIsToldOf) {
  uint16_t port = freePort();
  std::vector<std::string> errors = startAll({{1, 2, "localhost", port, ""}}, 200);
  EXPECT_THAT(errors[0], AllOf(HasSubstr("can't reach rank 0 at localhost:" + std::to_string(port)),
                               HasSubstr("Connection refused"), HasSubstr("MASTER_ADDR")));
  EXPECT_THAT(startAll({{1, 2, "no such host", port, ""}}, 200)[0],
              HasSubstr("can't reach rank 0 at no such host"));
}

TEST(Tcp, APortThatIsTakenIsToldOf) {
  uint16_t port = freePort();
  Result<FileDescriptor> other = comm::listenOn(port);
  ASSERT_TRUE(other.isOk());
  EXPECT_THAT(
      startAll({{0, 2, "localhost", port, ""}}, 200)[0],
      HasSubstr("can't listen on port " + std::to_string(port) + ": Address already in use"));
}

TEST(Tcp, StrangersDoNotDisturb) {
  uint16_t port = freePort();
  TcpPlace first{0, 2, "localhost", port, ""}, second{1, 2, "localhost", port, ""};
  auto hub = std::async(std::launch::async,
                        [&] { return TcpWorld::start(first, 20'000, TcpWorld::AtFailure::goOn); });
  // One that is silent, one that is gone at once, ones that talk nonsense.
  Result<FileDescriptor> silent = comm::connectTo("localhost", port, 20'000);
  ASSERT_TRUE(silent.isOk());
  (void)comm::connectTo("localhost", port, 20'000);
  comm::FrameHead endless{.kind = comm::FrameKind::hello, .ticket = 0, .bytes = UINT64_MAX};
  comm::FrameHead early{.kind = comm::FrameKind::part, .ticket = 0, .bytes = 0};
  for (const comm::FrameHead &head : {endless, early}) {
    Result<FileDescriptor> loud = comm::connectTo("localhost", port, 20'000);
    ASSERT_TRUE(loud.isOk());
    EXPECT_TRUE(loud->writeAll(std::as_bytes(std::span(&head, 1))));
  }
  Result<FileDescriptor> web = comm::connectTo("localhost", port, 20'000);
  EXPECT_TRUE(web->writeAll(std::as_bytes(std::span(std::string_view(
      "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: a browser\r\n\r\n")))));
  auto world = TcpWorld::start(second, 20'000, TcpWorld::AtFailure::goOn);
  ASSERT_TRUE(world.isOk()) << world.takeStatus().text();
  auto other = hub.get();
  ASSERT_TRUE(other.isOk());
  EXPECT_EQ((*other)->hosts().size(), 2u);
  world->reset(); // Rank 0 waits for it.
}

/// A rank that has greeted, was welcome, and then does as the test wants.
FileDescriptor greetAs(int rank, int size, uint16_t port) {
  Result<FileDescriptor> socket = comm::connectTo("localhost", port, 20'000);
  EXPECT_TRUE(socket.isOk());
  comm::FrameWriter hello;
  hello.put(rank);
  hello.put(size);
  hello.putText("");
  hello.putText("elsewhere");
  EXPECT_TRUE(comm::sendFrame(*socket, comm::FrameKind::hello, 0, hello.body));
  comm::FrameBuffer answer(4096);
  while (!answer.next() && comm::receiveInto(*socket, answer))
    ;
  return std::move(*socket);
}

/// What a rank is told whose only fellow does `misdeed`.
std::string whatFollows(const std::function<void(FileDescriptor)> &misdeed) {
  uint16_t port = freePort();
  auto hub = std::async(std::launch::async, [&]() -> std::string {
    auto world = TcpWorld::start({0, 2, "localhost", port, ""}, 20'000, TcpWorld::AtFailure::goOn);
    EXPECT_TRUE(world.isOk());
    auto group = (*world)->communicator().makeGroup(std::vector<int>{0, 1});
    if (!group.isOk()) // It has been told already.
      return std::string(group.takeStatus().text());
    int own = 0, all[2];
    return std::string((*group)->allGather({"all_gather", "x"}, &own, all, sizeof own).text());
  });
  misdeed(greetAs(1, 2, port));
  return hub.get();
}

TEST(Tcp, ARankThatEndsWithoutAWordIsMissedAtOnce) {
  EXPECT_EQ(whatFollows([](FileDescriptor) {}),
            "rank 1 (host elsewhere) has ended without a word: it was killed, or has crashed");
}

TEST(Tcp, ARankThatTalksNonsenseFails) {
  auto breaks = HasSubstr("rank 1 (host elsewhere) does not keep to the rules of the job");
  auto send = [](comm::FrameKind kind, const comm::Bytes &body) {
    return whatFollows([&](FileDescriptor socket) {
      comm::sendFrame(socket, kind, 1, body);
      std::byte data;
      while (::recv(socket.get(), &data, 1, 0) > 0) // Until the hub has had enough.
        ;
    });
  };
  EXPECT_THAT(send(comm::FrameKind::part, {}), breaks);
  EXPECT_THAT(send(comm::FrameKind::welcome, {}), breaks);
  EXPECT_THAT(send(comm::FrameKind::failure, {}), breaks);
  comm::FrameWriter strangers; // A group of ranks 1 and 7.
  comm::TcpGroupKey{{1, 7}}.put(strangers);
  EXPECT_THAT(send(comm::FrameKind::part, strangers.body), breaks);
  comm::FrameWriter endless; // A group of more members than are listed.
  endless.put(uint32_t(0));
  endless.put(UINT32_MAX);
  EXPECT_THAT(send(comm::FrameKind::part, endless.body), breaks);
  comm::FrameWriter empty; // A part without a call.
  comm::TcpGroupKey{{0, 1}}.put(empty);
  EXPECT_THAT(send(comm::FrameKind::part, empty.body), HasSubstr("sends what makes no sense"));
}

TEST(Tcp, OneRankOfEachHostSaysWhyTheJobFailed) {
  std::vector<std::string> hosts = {"a", "a", "b", "b"};
  auto speakers = [&](int origin, bool isDead) {
    std::vector<int> all;
    for (int rank = 0; rank < 4; ++rank)
      if (comm::isSpeaker({.origin = origin, .isDead = isDead, .text = ""}, rank, hosts))
        all.push_back(rank);
    return all;
  };
  EXPECT_EQ(speakers(1, /*isDead=*/false), (std::vector<int>{1, 2}));
  EXPECT_EQ(speakers(0, /*isDead=*/true), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(speakers(3, /*isDead=*/true), (std::vector<int>{0, 2}));
}

} // namespace
} // namespace sheaf::rt::test
