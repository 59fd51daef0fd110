// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/health_text.hpp"

namespace argosy::rpc {

std::optional<health_call> health_path(std::string_view path) {
  if (path == "/grpc.health.v1.Health/Check") return health_call::check;
  if (path == "/grpc.health.v1.Health/Watch") return health_call::watch;
  return std::nullopt;
}

std::optional<std::string> health_service(std::string_view question) {
  // Field 1, a text. Its size has at most two bytes, since the question is small.
  constexpr char text_of_field_1 = 0x0a;
  constexpr unsigned more = 0x80;
  if (question.empty()) return "";
  if (question[0] != text_of_field_1 || question.size() < 2) return std::nullopt;
  std::size_t size = static_cast<unsigned char>(question[1]);
  question.remove_prefix(2);
  if (size >= more) {
    if (question.empty()) return std::nullopt;
    size =
        (size - more) + (static_cast<std::size_t>(static_cast<unsigned char>(question[0])) << 7U);
    question.remove_prefix(1);
  }
  if (question.size() < size) return std::nullopt;
  return std::string{question.substr(0, size)};
}

std::string health_answer(bool serves) {
  return serves ? "\x08\x01" : "\x08\x03";
}

bool has_service(const method_map& methods, std::string_view name) {
  if (name.empty()) return true;
  const auto prefix = "/" + std::string{name} + "/";
  const auto found = methods.lower_bound(prefix);
  return found != methods.end() && found->first.starts_with(prefix);
}

}  // namespace argosy::rpc
