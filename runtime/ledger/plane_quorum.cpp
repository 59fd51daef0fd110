// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/plane_quorum.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace argosy::ledger {

bool is_farther(const model::record_name& one, const model::record_name& other) {
  return std::tuple{one.epoch, one.position} > std::tuple{other.epoch, other.position};
}

bool has_plane(const plane_set& planes, const std::string& id) {
  return std::ranges::any_of(planes, [&](const model::plane& each) { return each.id == id; });
}

bool has_plane(const std::vector<plane_set>& sets, const std::string& id) {
  return std::ranges::any_of(sets, [&](const plane_set& each) { return has_plane(each, id); });
}

bool is_confirmed(const std::vector<plane_set>& sets, const std::string& leader,
                  const std::set<std::string>& confirmed) {
  return std::ranges::all_of(sets, [&](const plane_set& planes) {
    const auto have = std::ranges::count_if(planes, [&](const model::plane& each) {
      return each.id == leader || confirmed.contains(each.id);
    });
    return have >= std::min<std::ptrdiff_t>(2, std::ssize(planes));
  });
}

bool is_quorum(const std::vector<plane_set>& sets, const std::set<std::string>& answered) {
  return std::ranges::all_of(sets, [&](const plane_set& planes) {
    const auto missing = std::ranges::count_if(
        planes, [&](const model::plane& each) { return !answered.contains(each.id); });
    return missing <= (planes.size() < planes_wanted ? 0 : 1);
  });
}

std::optional<plane_binding> bound_by(const plane_binding& before,
                                      const binding_question& question) {
  plane_binding out{question.epoch, question.asker};
  if (question.epoch > before.epoch || out == before) return out;
  return std::nullopt;
}

claim_round::claim_round(std::string plane, model::epoch epoch, model::record_name end,
                         std::vector<plane_set> sets)
    : plane_(std::move(plane)), epoch_(epoch), end_(end), sets_(std::move(sets)), bound_{plane_} {
  if (is_quorum(sets_, bound_)) progress_ = claim_progress::granted;
}

plane_set claim_round::others() const {
  plane_set out;
  for (const auto& set : sets_)
    for (const auto& plane : set)
      if (plane.id != plane_ && !has_plane(out, plane.id)) out.push_back(plane);
  return out;
}

claim_progress claim_round::take(const binding_answer& answer) {
  if (answer.asked != epoch_ || progress_ != claim_progress::waits) return progress_;
  if (answer.plane == plane_ || !has_plane(sets_, answer.plane)) return progress_;
  if (!answer.is_bound) {
    if (answer.hears_leader || answer.highest >= epoch_) progress_ = claim_progress::refused;
    return progress_;
  }
  if (is_farther(answer.end, end_)) return progress_ = claim_progress::outdone;
  bound_.insert(answer.plane);
  if (is_quorum(sets_, bound_)) progress_ = claim_progress::granted;
  return progress_;
}

std::optional<plane_set> next_planes(const plane_set& named, const model::plane& leader,
                                     const plane_set& ready, std::string_view forgotten) {
  auto out = named;
  const auto add = [&](const model::plane& plane) {
    std::erase_if(out, [&](const model::plane& each) { return each.place == plane.place; });
    out.push_back(plane);
  };
  if (!has_plane(out, leader.id)) add(leader);
  for (const auto& plane : ready) {
    const bool replaces = std::ranges::any_of(
        out, [&](const model::plane& each) { return each.place == plane.place; });
    if (!has_plane(out, plane.id) && replaces && plane.place != leader.place) add(plane);
  }
  std::vector<const model::plane*> others;
  for (const auto& plane : ready) {
    const auto is_there = [&](const model::plane& each) { return each.place == plane.place; };
    const auto is_counted = [&](const model::plane* each) { return is_there(*each); };
    if (std::ranges::none_of(out, is_there) && std::ranges::none_of(others, is_counted))
      others.push_back(&plane);
  }
  if (has_plane(out, std::string{forgotten}) && !others.empty()) {
    std::erase_if(out, [&](const model::plane& each) { return each.id == forgotten; });
    add(*others.front());
    others.erase(others.begin());
  }
  if (out.size() < planes_wanted && out.size() + others.size() >= planes_wanted)
    for (const auto* plane : others)
      if (out.size() < planes_wanted) add(*plane);
  std::ranges::sort(out, {}, &model::plane::id);
  if (out == named) return std::nullopt;
  return out;
}

}  // namespace argosy::ledger
