// Reads and checks a `random`.
#include "runtime/core/random_plan.h"

#include "runtime/abi/contract_strides.h"
#include "runtime/core/checked.h"

namespace sheaf::rt {

Result<RandomPlan> RandomPlan::make(CallSite &site) {
  const BufferShape &out = site.outs[0].shape;
  RandomPlan plan{};
  Distribution &distribution = plan.distribution;
  distribution.kind = static_cast<Distribution::Kind>(
      site.params.choice("kind", {"uniform", "normal", "bernoulli"}));
  distribution.a = site.params.number("a", 0);
  distribution.b = site.params.number("b", 1);
  distribution.isWide = out.type == abi::ElementType::f64;
  plan.stream = {static_cast<uint64_t>(site.params.integer("seed", 0)), site.seed};
  for (auto [name, at] :
       {std::pair("has_seed", &plan.seedAt), std::pair("has_first", &plan.firstAt)}) {
    if (!site.params.flag(name, false))
      continue;
    *at = plan.numIns++;
    if (site.ins.size() < plan.numIns || site.ins[**at].shape.elements() != 1 ||
        site.ins[**at].shape.elementBytes() != 8)
      return Status::invalid(name, " goes with an in, of one 64-bit integer");
  }
  if (site.ins.size() != plan.numIns)
    return Status::invalid("has ", site.ins.size(), " ins; the parameters say ", plan.numIns);
  BufferShape global{out.type, site.params.integers("global_dims", out.dims), {}};
  std::vector<int64_t> start =
      site.params.integers("global_start", std::vector<int64_t>(out.rank(), 0));
  if (distribution.kind != Distribution::Kind::bernoulli &&
      (!abi::isFloat(out.type) || out.elementBytes() < 2))
    return Status::invalid("it does not take elements of type ", abi::nameOf(out.type));
  if (global.rank() != out.rank() || start.size() != out.rank() || !checkedElements(global.dims))
    return Status::invalid("global_dims and global_start must have the rank of out ", out.str());
  for (size_t dim = 0; dim < out.rank(); ++dim)
    if (start[dim] < 0 || start[dim] > global.dims[dim] - out.dims[dim])
      return Status::invalid("out ", out.str(), " does not lie within the whole value in dim ",
                             dim);
  std::vector<int64_t> globalStrides = abi::rowMajorStrides(global.dims);
  for (size_t dim = 0; dim < out.rank(); ++dim) {
    plan.indices.dims.push_back({out.dims[dim], {globalStrides[dim]}});
    plan.first += start[dim] * globalStrides[dim];
  }
  plan.indices.merge();
  return plan;
}

} // namespace sheaf::rt
