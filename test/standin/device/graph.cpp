// Records nodes with their edges; replays them on streams that stand for chains of nodes.
#include "test/standin/device/graph.h"

namespace sheaf::standin {

void Capture::add(Stream &stream, Operation operation) {
  std::set<size_t> &last = frontiers[&stream];
  graph.nodes.push_back({std::move(operation), last});
  last = {graph.nodes.size() - 1};
}

void Capture::join(Stream &stream, const std::set<size_t> &nodes) {
  frontiers[&stream].insert(nodes.begin(), nodes.end());
}

bool Capture::isJoined() const {
  std::set<size_t> reached = frontiers.at(origin);
  // Edges point back, so one walk from the end reaches all.
  for (size_t node = graph.nodes.size(); node-- > 0;)
    if (reached.contains(node))
      reached.insert(graph.nodes[node].after.begin(), graph.nodes[node].after.end());
  for (const auto &[stream, last] : frontiers)
    for (size_t node : last)
      if (!reached.contains(node))
        return false;
  return true;
}

Graph Capture::finish() {
  for (auto &[stream, last] : frontiers)
    stream->capture = nullptr;
  return std::move(graph);
}

GraphRunner::GraphRunner(const Graph &from, int device) : graph(from) {
  std::vector<size_t> tails; // the last node of each lane
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    size_t lane = 0;
    while (lane < tails.size() && !graph.nodes[node].after.contains(tails[lane]))
      ++lane;
    if (lane == tails.size()) {
      tails.push_back(node);
      lanes.push_back(&Engine::get().createStream(device, false));
    }
    tails[lane] = node;
    laneOf.push_back(lane);
  }
}

GraphRunner::~GraphRunner() {
  for (Stream *lane : lanes)
    Engine::get().destroyStream(*lane);
}

void GraphRunner::launch(Stream &stream) {
  Engine &engine = Engine::get();
  std::vector<std::shared_ptr<Completion>> before;
  if (end)
    before.push_back(end);
  const std::shared_ptr<Completion> start =
      engine.enqueue(stream, idle(Operation("graph launch", {}, before)));
  std::vector<std::shared_ptr<Completion>> ends;
  std::vector<bool> hasBegun(lanes.size());
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    Operation operation = graph.nodes[node].operation;
    for (size_t earlier : graph.nodes[node].after)
      operation.waits.push_back(ends[earlier]);
    if (!hasBegun[laneOf[node]])
      operation.waits.push_back(start);
    hasBegun[laneOf[node]] = true;
    ends.push_back(engine.enqueue(*lanes[laneOf[node]], std::move(operation)));
  }
  end = engine.enqueue(stream, idle(Operation("graph end", {}, ends)));
}

} // namespace sheaf::standin
