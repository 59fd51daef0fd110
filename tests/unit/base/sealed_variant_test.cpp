// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/sealed_variant_impl.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace argosy {
namespace {

struct empty {};
struct named {
  std::string name;
};
struct shared {
  std::shared_ptr<int> number;
};
using plain = std::variant<empty, named, shared>;

}  // namespace
}  // namespace argosy

template class argosy::sealed_variant<argosy::plain>;

namespace argosy {
namespace {

using sealed = sealed_variant<plain>;

TEST(sealed_variant, holds_its_first_alternative_by_default) {
  EXPECT_TRUE(std::holds_alternative<empty>(sealed{}));
}

TEST(sealed_variant, is_read_as_a_variant_is) {
  const sealed value = named{"a"};
  EXPECT_EQ(value.index(), 1u);
  EXPECT_EQ(std::get<named>(value).name, "a");
  EXPECT_EQ(std::get_if<shared>(&value), nullptr);
  const bool is_named =
      std::visit([]<class T>(const T&) { return std::is_same_v<T, named>; }, value);
  EXPECT_TRUE(is_named);
}

TEST(sealed_variant, copies_moves_and_destroys_what_it_holds) {
  const auto number = std::make_shared<int>(7);
  {
    sealed first = shared{number};
    EXPECT_EQ(number.use_count(), 2);
    sealed second = first;
    EXPECT_EQ(number.use_count(), 3);
    const sealed third = std::move(first);
    EXPECT_EQ(number.use_count(), 3);
    EXPECT_EQ(std::get<shared>(third).number, number);
    second = named{"b"};
    EXPECT_EQ(number.use_count(), 2);
    second = third;
    EXPECT_EQ(number.use_count(), 3);
  }
  EXPECT_EQ(number.use_count(), 1);
}

}  // namespace
}  // namespace argosy
