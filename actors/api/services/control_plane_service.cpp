// SPDX-License-Identifier: Apache-2.0
// The service ControlPlane: which processes are this control plane, and who of them leads.
#include <algorithm>
#include <vector>

#include "actors/api/gateway_services.hpp"
#include "actors/api/operators.hpp"
#include "messages/probes/log/plane_probe.hpp"
#include "messages/probes/standby_probe.hpp"
#include "messages/proto/argosy/control.pb.h"
#include "runtime/ledger/claim_policy.hpp"
#include "runtime/ledger/plane_quorum.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

namespace {

const logging::logger logger{"gateway"};

std::optional<probes::plane_facts> planes_of(const gateway_services& gateway) {
  return gateway.config.probes->get<probes::plane_probe>()->facts();
}

std::vector<probes::standby> standbys_of(const gateway_services& gateway) {
  return gateway.config.probes->get<probes::standby_probe>(*gateway.config.clock)->all();
}

model::log_position position_of(const gateway_services& gateway) {
  return gateway.config.load ? gateway.config.load->position() : model::log_position{};
}

/// All but the leader, by their places.
std::vector<v1::ControlPlaneMember> others(const gateway_services& gateway,
                                           model::log_position position) {
  const auto facts = planes_of(gateway).value_or(probes::plane_facts{});
  std::vector<v1::ControlPlaneMember> out;
  for (const auto& one : standbys_of(gateway)) {
    auto& member = out.emplace_back();
    member.set_id(one.plane.id);
    member.set_place(one.plane.place);
    member.set_process(one.holder);
    member.set_state(one.applied ? "follows" : "waits");
    member.set_decides(ledger::has_plane(facts.named, one.plane.id));
    // It may have told of a later record than those that were counted here.
    if (one.applied)
      member.set_behind(position.value - std::min(position.value, one.applied->value));
    member.set_problem(one.problem);
  }
  for (const auto& plane : facts.silent) {
    const auto is_it = [&](const auto& member) { return member.id() == plane.id; };
    if (std::ranges::any_of(out, is_it)) continue;
    auto& member = out.emplace_back();
    member.set_id(plane.id);
    member.set_place(plane.place);
    member.set_state("silent");
    member.set_decides(true);
  }
  std::ranges::sort(out, {}, [](const auto& each) { return std::pair{each.place(), each.id()}; });
  return out;
}

void get(gateway_services& gateway, const call& caller, const v1::GetControlPlaneRequest&) {
  const auto& config = gateway.config;
  const auto position = position_of(gateway);
  v1::GetControlPlaneResponse response;
  response.set_epoch(config.epoch.value);
  response.set_position(position.value);
  const auto facts = planes_of(gateway);
  auto& leader = *response.add_members();
  leader.set_id(config.plane.id);
  leader.set_place(config.plane.place);
  leader.set_process(std::string{ledger::process_of(config.holder)});
  leader.set_state("leads");
  leader.set_decides(facts && ledger::has_plane(facts->named, config.plane.id));
  leader.set_behind(0);
  for (auto& one : others(gateway, position)) {
    if (one.has_behind())
      response.set_only_here(response.has_only_here() ? std::min(response.only_here(), one.behind())
                                                      : one.behind());
    *response.add_members() = std::move(one);
  }
  // Nothing is answered then before another store has it.
  if (facts && facts->named.size() > 1) response.set_only_here(0);
  if (facts)
    if (const auto warning = probes::warning_of(*facts)) {
      response.set_warning(warning->text);
      response.set_bad(warning->bad);
    }
  caller.reply(response);
}

bool is_named(const v1::ControlPlaneMember& member, const std::string& word) {
  return !word.empty() &&
         (member.id().starts_with(word) || member.id().ends_with(word) || member.place() == word ||
          member.process() == word || member.place().substr(0, member.place().find(':')) == word);
}

/// The one that the word names; empty word: the first.
result<v1::ControlPlaneMember> find(const std::vector<v1::ControlPlaneMember>& all,
                                    const std::string& word) {
  std::vector<v1::ControlPlaneMember> found;
  std::string known;
  for (const auto& member : all) {
    if (is_named(member, word)) found.push_back(member);
    known += (known.empty() ? "" : ", ") + member.place();
  }
  if (found.size() == 1) return found.front();
  return fail(found.empty() ? ec::not_found : ec::invalid_argument,
              (found.empty() ? "no other argosyd of this control plane is '"
                             : "several argosyd of this control plane are '") +
                  word + "'; " + (known.empty() ? "there is no other" : "there are: " + known));
}

std::string why_unable(const v1::ControlPlaneMember& member, bool has_planes) {
  if (!member.problem().empty()) return member.problem();
  if (member.state() != "follows") return "it does not follow the log";
  if (has_planes && !member.decides()) return "it is not one of those that decide together";
  return {};
}

void hand_over(gateway_services& gateway, const call& caller, const v1::HandOverRequest& request) {
  if (refuse_operator_reason(caller, request.reason())) return;
  auto able = others(gateway, position_of(gateway));
  if (!request.to().empty()) {
    auto one = find(able, request.to());
    if (!one) return caller.fail(one.error());
    able = {std::move(*one)};
  }
  const auto facts = planes_of(gateway);
  const bool has_planes = facts && facts->named.size() > 1;
  std::string why;
  for (const auto& one : able)
    if (const auto text = why_unable(one, has_planes); !text.empty())
      why += (why.empty() ? "'" : "; '") + one.place() + "': " + text;
  std::erase_if(able, [&](const auto& one) { return !why_unable(one, has_planes).empty(); });
  if (able.empty() || !gateway.config.hand_over)
    return caller.fail(ec::conflict, "no other argosyd could lead now" +
                                         (why.empty() ? std::string{": none waits"} : ": " + why));
  logger.info("the lead is handed over", logging::kv("by", caller.principal()),
              logging::kv("reason", request.reason()), logging::kv("to", request.to()));
  v1::HandOverResponse response;
  response.set_epoch(gateway.config.epoch.value);
  response.set_process(std::string{ledger::process_of(gateway.config.holder)});
  caller.reply(response);
  gateway.config.hand_over(request.to().empty() ? std::string{} : able.front().id());
}

void forget(gateway_services& gateway, const call& caller, const v1::ForgetPlaneRequest& request) {
  if (refuse_operator_reason(caller, request.reason())) return;
  if (!planes_of(gateway))
    return caller.fail(ec::conflict,
                       "no planes decide together here, so that there is none to forget; see "
                       "journal.commit");
  const auto one = find(others(gateway, {}), request.plane());
  if (!one) return caller.fail(one.error());
  logger.info("a plane is forgotten", logging::kv("plane", one->id()),
              logging::kv("place", one->place()), logging::kv("by", caller.principal()),
              logging::kv("reason", request.reason()));
  gateway.ask(
      caller, gateway.config.journal,
      [caller](atom::ok) { caller.reply(v1::ForgetPlaneResponse{}); }, atom::erase_v, one->id());
}

}  // namespace

void add_control_plane_service(method_table& table) {
  table["ControlPlane.Get"] = decoded<v1::GetControlPlaneRequest>(get);
  table["ControlPlane.HandOver"] = decoded<v1::HandOverRequest>(hand_over);
  table["ControlPlane.Forget"] = decoded<v1::ForgetPlaneRequest>(forget);
}

}  // namespace argosy::actors
