// Writes the loss of a job as a flag.
#include "tools/shard-compile/job_loss.h"

#include "passes/training/loss_form.h"
#include "tools/shard-compile/flag.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using sheaf::training::findLossForm, sheaf::training::LossForm, sheaf::training::lossForms;

namespace sheaf::compile {

static constexpr StringLiteral kindKey = "kind";

ArrayRef<StringRef> JobLoss::parts() {
  static const SmallVector<StringRef> all = [] {
    SmallVector<StringRef> keys = {kindKey};
    for (const LossForm &form : lossForms())
      for (StringRef key : {form.output, form.target})
        if (!key.empty() && !is_contained(keys, key))
          keys.push_back(key);
    return keys;
  }();
  return all;
}

bool JobLoss::hasPart(StringRef key) { return is_contained(parts(), key); }

LogicalResult JobLoss::addPart(StringRef key, yaml::Node *keyNode, yaml::Node *value) {
  auto *scalar = dyn_cast<yaml::ScalarNode>(value);
  SmallString<32> storage;
  StringRef part = scalar ? scalar->getValue(storage) : StringRef();
  if (part.empty())
    return text.refuse(isa<yaml::NullNode>(value) ? keyNode : value, key + " takes one value");
  notePlace(part, text.placeOf(scalar));
  written[*find(parts(), key)] = {keyNode, part.str()};
  return success();
}

FailureOr<std::string> JobLoss::write(yaml::Node *node) {
  auto kind = written.find(kindKey);
  const LossForm *form = kind == written.end() ? nullptr : findLossForm(kind->second.value);
  if (!form) {
    std::string kinds =
        join(map_range(lossForms(), [](const LossForm &form) { return form.name; }), ", ");
    if (kind == written.end())
      return text.refuse(node, "the loss has no kind; there are " + kinds);
    return text.refuse(kind->second.key,
                       "loss \"" + kind->second.value + "\" is unknown; there are " + kinds);
  }
  for (auto &[key, part] : written)
    if (key != kindKey && key != form->output && key != form->target)
      return text.refuse(part.key, key + " has no effect on loss " + form->name);
  std::string loss = form->name.str();
  for (StringRef key : {form->output, form->target}) {
    if (key.empty())
      continue;
    auto part = written.find(key);
    bool isImplied = key == form->target && form->isTargetImplied;
    if (part == written.end() && !isImplied)
      return text.refuse(kind->second.key, "loss " + form->name + " needs the key " + key);
    loss += (key == form->output ? ":" : ",") +
            (part == written.end() ? key.str() : part->second.value);
  }
  return loss;
}

} // namespace sheaf::compile
