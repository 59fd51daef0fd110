// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/cut_table.hpp"

#include "runtime/base/check.hpp"

namespace argosy::ledger {

template <class Change>
void cut_table::change(const std::string& source, Change how) {
  auto& state = sources_[source];
  if (state.can_be_asked()) --to_ask_;
  how(state);
  if (state.can_be_asked()) ++to_ask_;
}

void cut_table::changed(const std::string& source) {
  change(source, [](auto& state) { state.has_news = true; });
}

std::vector<std::string> cut_table::ask(boot_time now) {
  std::vector<std::string> out;
  if (to_ask_ == 0) return out;
  for (auto& [name, state] : sources_) {
    if (!state.can_be_asked()) continue;
    state.has_news = false;
    state.owes = duty::cut;
    state.since = now;
    if (!is_silent(name)) ++awaited_;
    out.push_back(name);
  }
  to_ask_ = 0;
  return out;
}

void cut_table::given(const std::string& source, boot_time now) {
  change(source, [&](auto& state) {
    ARGOSY_CHECK(state.owes == duty::none);
    state.owes = duty::part;
    state.since = now;
  });
  ++awaited_;
}

/// Notes that the source owes nothing any more. Returns whether the cycle waits for its answer.
bool cut_table::answered(const std::string& source) {
  change(source, [](auto& state) {
    ARGOSY_CHECK(state.owes != duty::none);
    state.owes = duty::none;
  });
  const bool was_awaited = !is_silent(source);
  if (was_awaited) --awaited_;
  return was_awaited;
}

bool cut_table::told(const std::string& source) {
  const bool was_awaited = answered(source);
  silent_.erase(source);
  expected_.erase(source);
  auto& state = sources_[source];
  // Those with nothing to say are forgotten, as they may be gone for good.
  if (!state.has_news) sources_.erase(source);
  return was_awaited;
}

bool cut_table::accepted(const std::string& source) {
  const bool was_awaited = answered(source);
  if (!was_awaited) changed(source);
  return was_awaited;
}

bool cut_table::lost(const std::string& source, bool lives) {
  const auto since = sources_[source].since;
  const bool was_awaited = answered(source);
  if (lives) {
    changed(source);
    if (is_whole()) silent_.try_emplace(source, since);
  } else {
    change(source, [](auto& state) { state = {}; });
    sources_.erase(source);
    silent_.erase(source);
  }
  return was_awaited;
}

std::vector<std::string> cut_table::stop_waiting() {
  std::vector<std::string> out;
  if (!is_whole() || awaited_ == 0) return out;
  for (const auto& [name, state] : sources_)
    if (state.owes != duty::none && silent_.try_emplace(name, state.since).second)
      out.push_back(name);
  awaited_ = 0;
  return out;
}

}  // namespace argosy::ledger
