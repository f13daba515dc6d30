// Sorts nodes topologically and finds cycles.
#include "importers/onnx/node_order.h"

#include "llvm/ADT/SetVector.h"
#include <queue>

using namespace llvm;
using ::onnx::GraphProto;

namespace sheaf::onnx {
namespace {

using NameSet = SetVector<StringRef>;

/// Adds all names that `node` or its sub-graphs mention; those that the node list does not define are
/// ignored by the caller.
void collectUses(const ::onnx::NodeProto &node, NameSet &uses) {
  for (const std::string &input : node.input())
    if (!input.empty())
      uses.insert(input);
  auto collectGraph = [&](const GraphProto &graph) {
    for (const ::onnx::NodeProto &inner : graph.node())
      collectUses(inner, uses);
    for (const auto &output : graph.output())
      uses.insert(output.name());
  };
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      collectGraph(attribute.g());
    for (const GraphProto &graph : attribute.graphs())
      collectGraph(graph);
  }
}

/// Walks predecessors that are not sorted until a node comes again.
std::string describeCycle(const NodeList &nodes, ArrayRef<SmallVector<int>> predecessors,
                          ArrayRef<int> numWaiting) {
  int at = find_if(numWaiting, [](int count) { return count > 0; }) - numWaiting.begin();
  SmallVector<int> path;
  while (!is_contained(path, at)) {
    path.push_back(at);
    at = *find_if(predecessors[at], [&](int before) { return numWaiting[before] > 0; });
  }
  std::string text = "\"" + nodeLabel(nodes[at], at) + "\"";
  for (int index : reverse(path)) {
    text += " -> \"" + nodeLabel(nodes[index], index) + "\"";
    if (index == at)
      break;
  }
  return text;
}

} // namespace

Expected<SmallVector<int>> sortNodes(const NodeList &nodes) {
  StringMap<int> producers;
  for (auto [index, node] : enumerate(nodes))
    for (const std::string &output : node.output())
      if (!output.empty())
        producers[output] = index;

  std::vector<SmallVector<int>> predecessors(nodes.size()), successors(nodes.size());
  std::vector<int> numWaiting(nodes.size());
  for (auto [index, node] : enumerate(nodes)) {
    NameSet uses;
    collectUses(node, uses);
    SmallSetVector<int, 8> before;
    for (StringRef name : uses)
      if (auto producer = producers.find(name); producer != producers.end())
        before.insert(producer->second);
    for (int producer : before) {
      predecessors[index].push_back(producer);
      successors[producer].push_back(index);
    }
    numWaiting[index] = before.size();
  }

  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (auto [index, count] : enumerate(numWaiting))
    if (count == 0)
      ready.push(index);
  SmallVector<int> order;
  while (!ready.empty()) {
    int index = ready.top();
    ready.pop();
    order.push_back(index);
    for (int successor : successors[index])
      if (--numWaiting[successor] == 0)
        ready.push(successor);
  }
  if (order.size() != static_cast<size_t>(nodes.size()))
    return createStringError("the nodes form a cycle: " +
                             describeCycle(nodes, predecessors, numWaiting));
  return order;
}

} // namespace sheaf::onnx
