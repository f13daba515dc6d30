// The call `reorder`: from one layout of the library to another.
#include "runtime/abi/calls.h"
#include "runtime/host/onednn/engine.h"
#include "runtime/host/onednn/primitive_step.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

Result<std::unique_ptr<Step>> bind(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (in.type != out.type || in.dims != out.dims)
    return Status::invalid("in ", in.str(), " and out ", out.str(),
                           " must have equal types and dims");
  if (in.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  // Data is only moved: any type of the same size does, and the library has all pairs of layouts for these.
  auto described = [](BufferShape shape) {
    switch (shape.elementBytes()) {
    case 1:
      shape.type = abi::ElementType::i8;
      break;
    case 2:
      shape.type = abi::ElementType::bf16;
      break;
    default:
      break;
    }
    return onednn::desc(shape);
  };
  std::optional<dnnl::memory::desc> from = described(in), to = described(out);
  if (!from || !to)
    return Status::invalid("the library does not know in ", in.str(), " or out ", out.str());
  dnnl::reorder::primitive_desc primitive(onednn::engine(), *from, onednn::engine(), *to,
                                          onednn::userScratchpad());
  return std::unique_ptr<Step>(std::make_unique<onednn::PrimitiveStep>(
      dnnl::reorder(primitive),
      std::vector<onednn::PrimitiveStep::Binding>{{DNNL_ARG_FROM, *from, 0}, {DNNL_ARG_TO, *to, 1}},
      primitive.scratchpad_desc()));
}

const RegisteredCall
    registered({.name = abi::calls::reorder, .takesStrides = true, .takesLayouts = true}, bind);

} // namespace
} // namespace sheaf::rt::host
