// SPDX-License-Identifier: Apache-2.0
// This file declares a std::variant whose special members are compiled in one source file.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace argosy {

/// Variant is a std::variant, whose first alternative is default constructible and all of whose
/// alternatives are nothrow move constructible. A sealed_variant is used like it: std::visit,
/// std::get, std::get_if and std::holds_alternative take it.
///
/// Its constructors, assignments and destructor are compiled in one source file, which includes
/// sealed_variant_impl.hpp and has a line `template class argosy::sealed_variant<Variant>;`. A
/// plain variant of thirty alternatives costs each file that makes one seconds of the compiler's
/// time.
template <class Variant>
class sealed_variant;

template <class... Alternatives>
class sealed_variant<std::variant<Alternatives...>> : public std::variant<Alternatives...> {
 public:
  sealed_variant();  ///< Holds the first alternative.
  template <class T>
  requires(std::is_same_v<T, Alternatives> || ...) sealed_variant(
      T value)  // NOLINT(google-explicit-constructor): std::variant converts as well.
      : sealed_variant(index_of<T>(), &value) {}
  sealed_variant(const sealed_variant& other);
  sealed_variant(sealed_variant&& other) noexcept;
  sealed_variant& operator=(const sealed_variant& other);
  sealed_variant& operator=(sealed_variant&& other) noexcept;
  ~sealed_variant();

 private:
  template <class T>
  static constexpr std::size_t index_of() {
    std::size_t index = 0;
    (void)((std::is_same_v<T, Alternatives> || (++index, false)) || ...);
    return index;
  }

  /// Moves from `value`, which is an alternative of this index.
  sealed_variant(std::size_t index, void* value);
};

}  // namespace argosy
