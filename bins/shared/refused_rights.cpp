// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/refused_rights.hpp"

#include "runtime/access/server_plan.hpp"

namespace argosy {

namespace {

constexpr std::size_t names_max = 3;

/// "'a', 'b', 'c' and 4 more".
std::string names(const std::vector<std::string>& all) {
  std::string out;
  for (std::size_t i = 0; i < all.size() && i < names_max; ++i)
    out += (i == 0 ? "'" : i + 1 == all.size() ? " and '" : ", '") + all[i] + "'";
  if (all.size() > names_max) out += " and " + std::to_string(all.size() - names_max) + " more";
  return out;
}

}  // namespace

std::string refusal_text(const std::vector<bus::refusal>& all, const std::string& who) {
  std::vector<std::string> heard;
  std::vector<std::string> sent;
  for (const auto& one : all)
    if (!access::is_mark(one.subject)) (one.hears ? heard : sent).push_back(one.subject);
  if (heard.empty() && sent.empty()) return {};
  auto out = "the nats-server lets " + who;
  if (!heard.empty()) out += " hear nothing on " + names(heard);
  if (!sent.empty())
    out += (heard.empty() ? " send nothing to " : " and send nothing to ") + names(sent);
  return out +
         ": its key has no such right any more, or the rights of an older version, which "
         "`argosyd init DIR --rewrite` mends";
}

health::concerns refusal_concerns(const std::vector<bus::refusal>& all, const std::string& who) {
  auto text = refusal_text(all, who);
  if (text.empty()) return {};
  return {{true, "setup", "refused", std::move(text)}};
}

}  // namespace argosy
