// SPDX-License-Identifier: Apache-2.0
// This file defines the members of sealed_variant, for the source file that compiles one of them.
#pragma once

#include <array>

#include "runtime/base/sealed_variant.hpp"

namespace argosy {

template <class... Alternatives>
sealed_variant<std::variant<Alternatives...>>::sealed_variant() = default;

template <class... Alternatives>
sealed_variant<std::variant<Alternatives...>>::sealed_variant(const sealed_variant& other) =
    default;

template <class... Alternatives>
sealed_variant<std::variant<Alternatives...>>::sealed_variant(sealed_variant&& other) noexcept =
    default;

template <class... Alternatives>
auto sealed_variant<std::variant<Alternatives...>>::operator=(const sealed_variant& other)
    -> sealed_variant& = default;

template <class... Alternatives>
auto sealed_variant<std::variant<Alternatives...>>::operator=(sealed_variant&& other) noexcept
    -> sealed_variant& = default;

template <class... Alternatives>
sealed_variant<std::variant<Alternatives...>>::~sealed_variant() = default;

template <class... Alternatives>
sealed_variant<std::variant<Alternatives...>>::sealed_variant(std::size_t index, void* value) {
  static_assert((std::is_nothrow_move_constructible_v<Alternatives> && ...));
  using take = void (*)(sealed_variant&, void*);
  static constexpr std::array<take, sizeof...(Alternatives)> takes{
      [](sealed_variant& self, void* from) {
        self.template emplace<Alternatives>(std::move(*static_cast<Alternatives*>(from)));
      }...};
  takes[index](*this, value);
}

}  // namespace argosy
