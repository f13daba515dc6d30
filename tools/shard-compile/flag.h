// What flags share, wherever their values come from: the command line, or a job file, whose keys they are.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_FLAG_H
#define SHEAF_TOOLS_SHARD_COMPILE_FLAG_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace sheaf::compile {

// The form of a value, which --help shows, says how a job file writes it, too: NAME=... is a mapping, where 2x16 is a
// list of extents; file.... is a path.

inline constexpr char kShapeForm[] = "NAME=2x16";

/// What messages call a flag: "--lr", or "job.yaml:3:1: lr" after a job gave it its value.
std::string nameOf(const llvm::cl::Option &flag);

/// Lets messages say that the value of `flag` is that of `key`, at `place`, as "job.yaml:3:1".
void setPlace(const llvm::cl::Option &flag, llvm::StringRef place, llvm::StringRef key);

/// "job.yaml:3:1: lr" of the flag of that name; empty if no job gave it its value.
std::string keyOfFlag(llvm::StringRef name);

/// Keeps in mind that `value` stands at `place`.
void notePlace(llvm::StringRef value, llvm::StringRef place);

/// Where the only value stands that is `value`; empty if there is none, or more than one.
std::string placeOfValue(llvm::StringRef value);

/// Prints that the value of a flag is none. True, as parsers of values return then.
bool refuseValue(const llvm::cl::Option &flag, llvm::StringRef value, const llvm::Twine &why);

/// A number: whole if T is, else finite.
template <typename T> class NumberParser : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;
  bool parse(llvm::cl::Option &flag, llvm::StringRef name, llvm::StringRef text, T &value);
  llvm::StringRef getValueName() const override { return "number"; }
};

using NumberFlag = llvm::cl::opt<double, /*ExternalStorage=*/false, NumberParser<double>>;
using NumbersFlag = llvm::cl::list<double, bool, NumberParser<double>>;
// LLVM's parser of long can't be derived from.
using CountFlag = llvm::cl::opt<long long, /*ExternalStorage=*/false, NumberParser<long long>>;

} // namespace sheaf::compile

#endif
