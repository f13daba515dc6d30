// Reads jobs into flags: the registry of flags says which keys there are, and which forms they take.
#include "tools/shard-compile/job_file.h"

#include "dialects/support/yaml_text.h"
#include "passes/sharding/rules.h"
#include "tools/shard-compile/flag.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace sheaf::compile {
namespace {

constexpr YamlForm jobForm = {"job",
                              "a job is a mapping of flags to values: {lr: 1e-3, mesh: {data: 2}}",
                              "a file is one job"};
constexpr StringLiteral modelKey = "model";

class JobReader {
public:
  JobReader(StringRef path, MemoryBufferRef text, const cl::OptionCategory &category)
      : path(path), category(category), stream(text, sources, /*ShowColors=*/false) {
    sources.setDiagHandler(keepFirst, this);
  }

  std::optional<std::string> read() {
    auto document = stream.begin();
    yaml::Node *root = document == stream.end() ? nullptr : document->getRoot();
    LogicalResult result = root ? readJob(root) : failure();
    if (!syntaxError.empty()) // What the parser makes of the rest is of no interest.
      errs() << "error: " << syntaxError << "\n";
    else if (succeeded(result))
      return model;
    else if (!mistake.empty())
      errs() << "error: " << mistake << "\n";
    return std::nullopt;
  }

private:
  static void keepFirst(const SMDiagnostic &diagnostic, void *context) {
    auto &reader = *static_cast<JobReader *>(context);
    if (reader.syntaxError.empty() && diagnostic.getKind() == SourceMgr::DK_Error)
      reader.syntaxError = (reader.path + ":" + Twine(std::max(diagnostic.getLineNo(), 1)) + ":" +
                            Twine(diagnostic.getColumnNo() + 1) + ": " + diagnostic.getMessage())
                               .str();
  }

  std::string placeOf(yaml::Node *node) const {
    auto [line, column] = sources.getLineAndColumn(node->getSourceRange().Start);
    return (path + ":" + Twine(line) + ":" + Twine(column)).str();
  }
  LogicalResult refuse(yaml::Node *node, const Twine &what) {
    if (mistake.empty())
      mistake = (placeOf(node) + ": " + what).str();
    return failure();
  }
  /// `form` is what the flag takes.
  LogicalResult refuseForm(yaml::Node *node, const cl::Option &flag, StringRef form) {
    if (isa<yaml::AliasNode>(node))
      return refuse(node, flag.ArgStr + " has a YAML alias; put what begins with * in quotes");
    return refuse(node, flag.ArgStr + " takes " + form);
  }

  LogicalResult readJob(yaml::Node *root);
  LogicalResult readEntry(StringRef key, yaml::Node *keyNode, yaml::Node *value);
  LogicalResult readModel(yaml::Node *value);
  LogicalResult give(cl::Option &flag, yaml::Node *value);
  LogicalResult giveMapping(cl::Option &flag, yaml::MappingNode *mapping);
  LogicalResult giveText(cl::Option &flag, yaml::Node *node, StringRef text);

  cl::Option *find(StringRef key) const;
  std::string nearestTo(StringRef key) const;
  std::string resolved(StringRef file) const;
  std::string valueOf(const cl::Option &flag, StringRef text) const;

  StringRef path;
  const cl::OptionCategory &category;
  SourceMgr sources;
  yaml::Stream stream;
  std::string syntaxError, mistake, model;
};

bool isSwitch(const cl::Option &flag) { return flag.getValueExpectedFlag() == cl::ValueOptional; }
bool isRepeated(const cl::Option &flag) { return flag.getNumOccurrencesFlag() == cl::ZeroOrMore; }
bool isAssignment(const cl::Option &flag) { return flag.ValueStr.contains('='); }

/// How a job may write the value of a flag.
std::string formsOf(const cl::Option &flag) {
  if (isSwitch(flag))
    return "true or false";
  std::string value = flag.ValueStr.empty() ? "one value" : flag.ValueStr.str();
  if (isAssignment(flag))
    return "a mapping, or " + value;
  return isRepeated(flag) ? "a list, or " + value : value;
}

LogicalResult JobReader::readJob(yaml::Node *root) {
  auto *job = dyn_cast<yaml::MappingNode>(root);
  if (!job)
    return refuse(root, jobForm.form);
  StringSet<> seen;
  for (yaml::KeyValueNode &entry : *job) {
    auto *keyNode = dyn_cast_or_null<yaml::ScalarNode>(entry.getKey());
    if (!keyNode)
      return refuse(&entry, "a key is the name of a flag");
    SmallString<32> storage;
    StringRef key = keyNode->getValue(storage);
    if (!seen.insert(key).second)
      return refuse(keyNode, key + " comes twice");
    if (failed(readEntry(key, keyNode, entry.getValue())))
      return failure();
  }
  return seen.contains(modelKey) ? success()
                                 : refuse(root, "the job names no model: model: gpt2.onnx");
}

LogicalResult JobReader::readEntry(StringRef key, yaml::Node *keyNode, yaml::Node *value) {
  if (key == modelKey)
    return readModel(value);
  cl::Option *flag = find(key);
  if (!flag)
    return refuse(keyNode, "\"" + key + "\" is no key of a job; the nearest is " + nearestTo(key));
  if (flag->getNumOccurrences() > 0) // The command line goes before the file.
    return success();
  if (isa<yaml::NullNode>(value)) // It begins where the next key does.
    return refuse(keyNode, key + " has no value; it takes " + formsOf(*flag));
  setPlace(*flag, placeOf(keyNode));
  return give(*flag, value);
}

LogicalResult JobReader::readModel(yaml::Node *value) {
  auto *scalar = dyn_cast<yaml::ScalarNode>(value);
  if (!scalar)
    return refuse(value, modelKey + " takes a path");
  SmallString<128> storage;
  StringRef file = scalar->getValue(storage);
  if (file.empty() || isJobFile(file))
    return refuse(value, modelKey + " takes the path of a .onnx or .mlir file");
  model = resolved(file);
  return success();
}

LogicalResult JobReader::give(cl::Option &flag, yaml::Node *value) {
  if (auto *mapping = dyn_cast<yaml::MappingNode>(value); mapping && isAssignment(flag))
    return giveMapping(flag, mapping);
  if (auto *list = dyn_cast<yaml::SequenceNode>(value); list && isRepeated(flag)) {
    for (yaml::Node &entry : *list) {
      auto *scalar = dyn_cast<yaml::ScalarNode>(&entry);
      if (!scalar)
        return refuseForm(&entry, flag, formsOf(flag));
      SmallString<64> storage;
      if (failed(giveText(flag, scalar, scalar->getValue(storage))))
        return failure();
    }
    return success();
  }
  auto *scalar = dyn_cast<yaml::ScalarNode>(value);
  if (!scalar)
    return refuseForm(value, flag, formsOf(flag));
  SmallString<64> storage;
  StringRef text = scalar->getValue(storage);
  if (isSwitch(flag)) {
    if (text == "false") // As if it were not there.
      return success();
    return text == "true" ? giveText(flag, scalar, text) : refuseForm(value, flag, formsOf(flag));
  }
  if (!(flag.getMiscFlags() & cl::CommaSeparated))
    return giveText(flag, scalar, text);
  for (StringRef part : split(text, ','))
    if (failed(giveText(flag, scalar, part)))
      return failure();
  return success();
}

LogicalResult JobReader::giveMapping(cl::Option &flag, yaml::MappingNode *mapping) {
  StringSet<> seen;
  for (yaml::KeyValueNode &entry : *mapping) {
    auto *nameNode = dyn_cast_or_null<yaml::ScalarNode>(entry.getKey());
    if (!nameNode)
      return refuseForm(entry.getKey() ? entry.getKey() : &entry, flag, formsOf(flag));
    SmallString<64> nameStorage, valueStorage;
    StringRef name = nameNode->getValue(nameStorage);
    if (!seen.insert(name).second)
      return refuse(nameNode, flag.ArgStr + " has \"" + name + "\" twice");
    std::string text = name.str() + "=";
    yaml::Node *value = entry.getValue();
    if (auto *scalar = dyn_cast<yaml::ScalarNode>(value)) {
      text += scalar->getValue(valueStorage);
    } else if (auto *extents = dyn_cast<yaml::SequenceNode>(value);
               extents && flag.ValueStr == kShapeForm) {
      ListSeparator by("x");
      for (yaml::Node &entry : *extents) {
        auto *extent = dyn_cast<yaml::ScalarNode>(&entry);
        if (!extent)
          return refuseForm(&entry, flag, "whole numbers as extents");
        text += StringRef(by).str() + extent->getValue(valueStorage).str();
      }
    } else {
      return refuseForm(value, flag,
                        ("a value for \"" + name + "\", as in " + flag.ValueStr).str());
    }
    if (failed(giveText(flag, nameNode, text)))
      return failure();
  }
  return success();
}

LogicalResult JobReader::giveText(cl::Option &flag, yaml::Node *node, StringRef text) {
  if (text.empty())
    return refuse(node, flag.ArgStr + " takes " + formsOf(flag));
  // Flags keep copies. A value that is refused has been told.
  return failure(flag.addOccurrence(/*pos=*/0, flag.ArgStr, valueOf(flag, text)));
}

cl::Option *JobReader::find(StringRef key) const {
  auto found = cl::getRegisteredOptions().find(key);
  bool isKey = found != cl::getRegisteredOptions().end() && key.size() > 1 &&
               is_contained(found->second->Categories, &category);
  return isKey ? found->second : nullptr;
}

std::string JobReader::nearestTo(StringRef key) const {
  StringRef nearest = modelKey;
  for (const auto &entry : cl::getRegisteredOptions()) {
    StringRef name = entry.first;
    if (!find(name))
      continue;
    auto order = [&](StringRef text) { return std::pair(key.edit_distance(text), text); };
    if (order(name) < order(nearest))
      nearest = name;
  }
  return nearest.str();
}

std::string JobReader::resolved(StringRef file) const {
  if (sys::path::is_absolute(file))
    return file.str();
  SmallString<128> full(sys::path::parent_path(path));
  sys::path::append(full, file);
  return std::string(full);
}

/// `text` with its path, if it has one, resolved.
std::string JobReader::valueOf(const cl::Option &flag, StringRef text) const {
  StringRef form = flag.ValueStr, name, file = text;
  if (isAssignment(flag)) {
    form = form.split('=').second;
    std::tie(name, file) = text.rsplit('=');
  }
  bool isBuiltIn = form.contains('|') && sharding::builtInRules(file);
  if (!form.starts_with("file.") || isBuiltIn)
    return text.str();
  return text.drop_back(file.size()).str() + resolved(file);
}

} // namespace

bool isJobFile(StringRef path) {
  StringRef extension = sys::path::extension(path);
  return extension == ".yaml" || extension == ".yml";
}

std::optional<std::string> applyJobFile(StringRef path, const cl::OptionCategory &category) {
  Expected<std::unique_ptr<MemoryBuffer>> text = readYaml(path, jobForm);
  Error error = text ? checkYaml((*text)->getBuffer(), path, jobForm) : text.takeError();
  if (error) {
    errs() << "error: " << toString(std::move(error)) << "\n";
    return std::nullopt;
  }
  return JobReader(path, (*text)->getMemBufferRef(), category).read();
}

} // namespace sheaf::compile
