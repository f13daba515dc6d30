// Makes numbers of a distribution from random words. Device code includes this too.
#ifndef SHEAF_RUNTIME_CORE_DISTRIBUTION_H
#define SHEAF_RUNTIME_CORE_DISTRIBUTION_H

#include <array>
#include <cstdint>

namespace sheaf::rt {

/// What the call `random` draws: uniform in [a, b), normal of mean a and scale b, or 1 with probability a.
struct Distribution {
  enum class Kind { uniform, normal, bernoulli };
  using Words = std::array<uint32_t, 4>;

  Kind kind = Kind::uniform;
  bool isWide = false; ///< Elements take two words each, not one.
  double a = 0, b = 1;

  constexpr uint64_t elementsPerBlock() const { return isWide ? 2 : 4; }

  /// Element `index` of the whole value, whose block of words is number index / elementsPerBlock(). Math has log, sqrt,
  /// sin and cos.
  template <typename Math> constexpr double at(const Words &words, uint64_t index) const {
    switch (kind) {
    case Kind::uniform:
      return a + (b - a) * unitAt(words, index);
    case Kind::normal:
      return a + b * normalAt<Math>(words, index);
    case Kind::bernoulli:
      return unitAt(words, index) < a;
    }
    return 0;
  }

private:
  /// In [0, 1): 24 bits of a word, or 53 bits of two.
  constexpr double unitAt(const Words &words, uint64_t index) const {
    if (!isWide)
      return static_cast<double>(words[index % 4] >> 8) * 0x1p-24;
    uint64_t bits = uint64_t(words[2 * (index % 2)]) << 32 | words[2 * (index % 2) + 1];
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }

  /// Box-Muller: elements 2 i and 2 i + 1 are the cosine and the sine of the same pair of uniform values.
  template <typename Math> constexpr double normalAt(const Words &words, uint64_t index) const {
    constexpr double pi = 3.14159265358979323846;
    double first = unitAt(words, index & ~uint64_t(1)), second = unitAt(words, index | 1);
    double radius = Math::sqrt(-2 * Math::log(1 - first)), angle = 2 * pi * second;
    return radius * (index & 1 ? Math::sin(angle) : Math::cos(angle));
  }
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_DISTRIBUTION_H
