// Reads jobs into flags: `JobKeys` says which keys there are, the flags which forms they take.
#include "tools/shard-compile/job_file.h"

#include "dialects/support/yaml_text.h"
#include "passes/sharding/rules.h"
#include "tools/shard-compile/flag.h"
#include "tools/shard-compile/job_form.h"
#include "tools/shard-compile/job_keys.h"
#include "tools/shard-compile/job_loss.h"
#include "tools/shard-compile/job_rule.h"
#include "tools/shard-compile/job_text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace sheaf::compile {
namespace {

constexpr YamlForm jobForm = {
    "job", "a job is a mapping of keys to values: {model: gpt2.onnx, layout: {mesh: {data: 2}}}",
    "a file is one job"};
constexpr StringLiteral modelKey = "model", rulesPath = "layout.rules";

class JobReader {
public:
  JobReader(JobText &text, const cl::OptionCategory &category)
      : text(text), keys(category), loss(text) {}

  /// The path of the model.
  FailureOr<std::string> read();

private:
  LogicalResult readSection(StringRef section, yaml::Node *keyNode, yaml::MappingNode *mapping);
  LogicalResult readEntry(StringRef section, StringRef key, yaml::Node *keyNode, yaml::Node *value);
  LogicalResult enterSection(StringRef path, cl::Option *flag, yaml::Node *keyNode,
                             yaml::Node *value);
  LogicalResult readModel(yaml::Node *value);

  LogicalResult give(cl::Option &flag, yaml::Node *value);
  LogicalResult giveMapping(cl::Option &flag, yaml::MappingNode *mapping);
  LogicalResult giveList(cl::Option &flag, yaml::SequenceNode *list);
  LogicalResult giveShape(cl::Option &flag, yaml::Node *node, StringRef name,
                          yaml::SequenceNode *extents);
  LogicalResult giveRules(cl::Option &flag, yaml::Node *value);
  LogicalResult giveText(cl::Option &flag, yaml::Node *node, StringRef value);

  LogicalResult refuseForm(yaml::Node *node, const Twine &form) {
    return text.refuseForm(node, current, form);
  }
  LogicalResult refuseEmpty(yaml::Node *keyNode, StringRef key) {
    return text.refuse(keyNode, key + " is empty; leave it out");
  }
  std::string resolved(StringRef file) const;
  std::string valueOf(const cl::Option &flag, StringRef value) const;

  JobText &text;
  JobKeys keys;
  JobLoss loss;
  std::string model;
  /// The key whose value is read, for messages.
  std::string current;
  yaml::Node *currentNode = nullptr;
};

bool isGiven(const cl::Option &flag) { return flag.getNumOccurrences() > 0; }

FailureOr<std::string> JobReader::read() {
  yaml::Node *root = text.root();
  if (!root)
    return failure();
  auto *job = dyn_cast<yaml::MappingNode>(root);
  if (!job)
    return text.refuse(root, jobForm.form);
  if (failed(readSection("", root, job)))
    return failure();
  if (model.empty())
    return text.refuse(root, "the job names no model: model: gpt2.onnx");
  return model;
}

LogicalResult JobReader::readSection(StringRef section, yaml::Node *keyNode,
                                     yaml::MappingNode *mapping) {
  StringSet<> seen;
  for (yaml::KeyValueNode &entry : *mapping) {
    auto *keyNode = dyn_cast_or_null<yaml::ScalarNode>(entry.getKey());
    if (!keyNode)
      return text.refuse(&entry, "a key is a word");
    SmallString<32> storage;
    StringRef key = keyNode->getValue(storage);
    if (!seen.insert(key).second)
      return text.refuse(keyNode, key + " comes twice");
    if (failed(readEntry(section, key, keyNode, entry.getValue())))
      return failure();
  }
  return seen.empty() ? refuseEmpty(keyNode, section) : success();
}

LogicalResult JobReader::readEntry(StringRef section, StringRef key, yaml::Node *keyNode,
                                   yaml::Node *value) {
  std::string path = pathOf(section, key);
  current = key.str();
  currentNode = keyNode;
  if (path == modelKey)
    return readModel(value);
  if (section == kLossSection && JobLoss::hasPart(key))
    return loss.addPart(key, keyNode, value);
  cl::Option *flag = keys.flagAt(path);
  bool isSection = keys.isSection(path);
  if (!flag && !isSection)
    return text.refuse(keyNode, "\"" + key + "\" is no key of " +
                                    (section.empty() ? "a job" : section) + "; the nearest is " +
                                    keys.nearest(section, key));
  if (isa<yaml::NullNode>(value)) // It begins where the next key does.
    return text.refuse(keyNode, key + " has no value; it takes " +
                                    (isSection           ? "a mapping of " + keys.keysOf(path)
                                     : path == rulesPath ? kRulesForm.str()
                                                         : formOf(*flag)));
  if (isSection)
    return enterSection(path, flag, keyNode, value);
  if (isGiven(*flag)) // The command line goes before the file.
    return success();
  setPlace(*flag, text.placeOf(keyNode), key);
  return path == rulesPath ? giveRules(*flag, value) : give(*flag, value);
}

LogicalResult JobReader::enterSection(StringRef path, cl::Option *flag, yaml::Node *keyNode,
                                      yaml::Node *value) {
  auto *mapping = dyn_cast<yaml::MappingNode>(value);
  if (!mapping)
    return refuseForm(value, "a mapping of " + keys.keysOf(path));
  bool isToGive = flag && !isGiven(*flag);
  std::string key = current;
  if (isToGive)
    setPlace(*flag, text.placeOf(keyNode), key);
  // A switch is on when there are keys of what it switches on.
  if (isToGive && isSwitch(*flag) && flag->addOccurrence(/*pos=*/0, flag->ArgStr, "true"))
    return failure();
  if (failed(readSection(path, keyNode, mapping)))
    return failure();
  if (!isToGive || path != kLossSection)
    return success();
  FailureOr<std::string> written = loss.write(keyNode);
  if (failed(written))
    return failure();
  return giveText(*flag, keyNode, *written);
}

LogicalResult JobReader::readModel(yaml::Node *value) {
  auto *scalar = dyn_cast<yaml::ScalarNode>(value);
  if (!scalar)
    return refuseForm(value, "a path");
  SmallString<128> storage;
  StringRef file = scalar->getValue(storage);
  if (file.empty() || isJobFile(file))
    return refuseForm(value, "the path of a .onnx or .mlir file");
  model = resolved(file);
  return success();
}

LogicalResult JobReader::give(cl::Option &flag, yaml::Node *value) {
  if (auto *mapping = dyn_cast<yaml::MappingNode>(value); mapping && isAssignment(flag))
    return giveMapping(flag, mapping);
  if (auto *list = dyn_cast<yaml::SequenceNode>(value);
      list && isRepeated(flag) && !isAssignment(flag))
    return giveList(flag, list);
  auto *scalar = dyn_cast<yaml::ScalarNode>(value);
  if (!scalar || isAssignment(flag))
    return refuseForm(value, formOf(flag));
  SmallString<64> storage;
  StringRef given = scalar->getValue(storage);
  if (isSwitch(flag) && given != "true")
    return given == "false" ? success() : refuseForm(value, formOf(flag));
  return giveText(flag, scalar, given);
}

LogicalResult JobReader::giveList(cl::Option &flag, yaml::SequenceNode *list) {
  bool isEmpty = true;
  for (yaml::Node &entry : *list) {
    isEmpty = false;
    auto *scalar = dyn_cast<yaml::ScalarNode>(&entry);
    if (!scalar)
      return refuseForm(&entry, formOf(flag));
    SmallString<64> storage;
    if (failed(giveText(flag, scalar, scalar->getValue(storage))))
      return failure();
  }
  return isEmpty ? refuseEmpty(currentNode, current) : success();
}

LogicalResult JobReader::giveMapping(cl::Option &flag, yaml::MappingNode *mapping) {
  StringSet<> seen;
  for (yaml::KeyValueNode &entry : *mapping) {
    auto *nameNode = dyn_cast_or_null<yaml::ScalarNode>(entry.getKey());
    if (!nameNode)
      return refuseForm(entry.getKey() ? entry.getKey() : &entry, formOf(flag));
    SmallString<64> nameStorage, valueStorage;
    StringRef name = nameNode->getValue(nameStorage);
    if (!seen.insert(name).second)
      return text.refuse(nameNode, current + " has \"" + name + "\" twice");
    yaml::Node *value = entry.getValue();
    bool isShape = flag.ValueStr == kShapeForm;
    LogicalResult result = failure();
    if (auto *extents = dyn_cast<yaml::SequenceNode>(value); extents && isShape)
      result = giveShape(flag, nameNode, name, extents);
    else if (auto *scalar = dyn_cast<yaml::ScalarNode>(value); scalar && !isShape)
      result = giveText(flag, nameNode, (name + "=" + scalar->getValue(valueStorage)).str());
    else
      return refuseForm(isa<yaml::NullNode>(value) ? nameNode : value, formOf(flag));
    if (failed(result))
      return failure();
  }
  return seen.empty() ? refuseEmpty(currentNode, current) : success();
}

LogicalResult JobReader::giveShape(cl::Option &flag, yaml::Node *node, StringRef name,
                                   yaml::SequenceNode *extents) {
  std::string shape = name.str() + "=";
  ListSeparator by("x");
  for (yaml::Node &entry : *extents) {
    auto *extent = dyn_cast<yaml::ScalarNode>(&entry);
    if (!extent)
      return refuseForm(&entry, formOf(flag));
    SmallString<16> storage;
    shape += (StringRef(by) + extent->getValue(storage)).str();
  }
  return giveText(flag, node, shape);
}

LogicalResult JobReader::giveRules(cl::Option &flag, yaml::Node *value) {
  if (auto *scalar = dyn_cast<yaml::ScalarNode>(value)) {
    SmallString<64> storage;
    return giveText(flag, scalar, scalar->getValue(storage));
  }
  bool isEmpty = true;
  if (auto *list = dyn_cast<yaml::SequenceNode>(value)) {
    for (yaml::Node &entry : *list) {
      isEmpty = false;
      if (isa<yaml::SequenceNode>(entry))
        return refuseForm(&entry, kRulesForm);
      if (failed(giveRules(flag, &entry)))
        return failure();
    }
  } else if (auto *rules = dyn_cast<yaml::MappingNode>(value)) {
    for (yaml::KeyValueNode &rule : *rules) {
      isEmpty = false;
      FailureOr<std::string> written = writeRule(text, current, rule);
      if (failed(written) || flag.addOccurrence(/*pos=*/0, flag.ArgStr, *written))
        return failure();
    }
  } else {
    return refuseForm(value, kRulesForm);
  }
  return isEmpty ? refuseEmpty(currentNode, current) : success();
}

LogicalResult JobReader::giveText(cl::Option &flag, yaml::Node *node, StringRef value) {
  if (value.empty())
    return refuseForm(node, formOf(flag));
  std::string complete = valueOf(flag, value);
  std::string place = text.placeOf(node);
  notePlace(complete, place);
  if (isAssignment(flag)) {
    auto [name, assigned] = StringRef(complete).rsplit('=');
    notePlace(name, place);
    notePlace(assigned, place);
  }
  // Flags keep copies. A value that is refused has been told.
  return failure(flag.addOccurrence(/*pos=*/0, flag.ArgStr, complete));
}

std::string JobReader::resolved(StringRef file) const {
  if (sys::path::is_absolute(file))
    return file.str();
  SmallString<128> full(sys::path::parent_path(text.getPath()));
  sys::path::append(full, file);
  return std::string(full);
}

/// `value` with its path, if it has one, resolved.
std::string JobReader::valueOf(const cl::Option &flag, StringRef value) const {
  StringRef form = flag.ValueStr, name, file = value;
  if (isAssignment(flag)) {
    form = form.split('=').second;
    std::tie(name, file) = value.rsplit('=');
  }
  bool isBuiltIn = form.contains('|') && sharding::builtInRules(file);
  if (!form.starts_with("file.") || isBuiltIn)
    return value.str();
  return value.drop_back(file.size()).str() + resolved(file);
}

} // namespace

bool isJobFile(StringRef path) {
  StringRef extension = sys::path::extension(path);
  return extension == ".yaml" || extension == ".yml";
}

std::optional<std::string> applyJobFile(StringRef path, const cl::OptionCategory &category) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readYaml(path, jobForm);
  Error error = file ? checkYaml((*file)->getBuffer(), path, jobForm) : file.takeError();
  if (error) {
    errs() << "error: " << toString(std::move(error)) << "\n";
    return std::nullopt;
  }
  JobText text(path, (*file)->getMemBufferRef());
  FailureOr<std::string> model = JobReader(text, category).read();
  if (std::string mistake = text.mistake(); !mistake.empty())
    errs() << "error: " << mistake << "\n";
  else if (succeeded(model))
    return std::move(*model);
  return std::nullopt;
}

} // namespace sheaf::compile
