// Capturing what is enqueued into graphs, and running those.
#ifndef SHEAF_TEST_STANDIN_DEVICE_GRAPH_H
#define SHEAF_TEST_STANDIN_DEVICE_GRAPH_H

#include <map>
#include <set>
#include <thread>

#include "test/standin/device/engine.h"

namespace sheaf::standin {

/// Operations and, of each, the earlier ones that it comes after.
struct Graph {
  struct Node {
    Operation operation;
    std::set<size_t> after;
  };
  std::vector<Node> nodes;
};

/// What streams enqueue while they are captured. The caller locks `mutex` of captures.
class Capture {
public:
  explicit Capture(Stream &origin) : origin(&origin), thread(std::this_thread::get_id()) {
    frontiers[&origin];
  }

  void add(Stream &stream, Operation operation);
  /// The stream's last nodes: what an event that is recorded now stands for.
  std::set<size_t> frontier(Stream &stream) { return frontiers[&stream]; }
  /// Makes what the stream does next come after `nodes`; takes it into the capture if it isn't yet.
  void join(Stream &stream, const std::set<size_t> &nodes);

  /// Whether all that other streams did comes before something the origin did last.
  bool isJoined() const;
  /// Takes all streams out of the capture.
  Graph finish();

  Stream *const origin;
  const std::thread::id thread;
  bool isInvalid = false;

private:
  Graph graph;
  std::map<Stream *, std::set<size_t>> frontiers;
};

/// A graph made ready to run: chains of nodes are streams of their own, so that no more is ordered than
/// the graph orders.
class GraphRunner {
public:
  GraphRunner(const Graph &graph, int device);
  ~GraphRunner();

  /// Runs after what lies in `stream` now and after the launch before, and before what is enqueued there later.
  void launch(Stream &stream);

private:
  Graph graph;
  std::vector<size_t> laneOf; ///< by node
  std::vector<Stream *> lanes;
  std::shared_ptr<Completion> end; ///< of the last launch, if any
};

} // namespace sheaf::standin

#endif
