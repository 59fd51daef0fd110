// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/log_account.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <string>

#include "bins/shared/machine_watch.hpp"

namespace argosy::argosyd {

namespace {

using json = nlohmann::json;

constexpr std::chrono::seconds answer_limit{1};
constexpr std::chrono::minutes asked_again_when_silent{1};

/// A number of the answer; 0 for what is not there, or -1, which stands for no limit.
std::uint64_t number_in(const json& from, const char* name) {
  const auto found = from.find(name);
  if (found == from.end() || !found->is_number()) return 0;
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, found->get<std::int64_t>()));
}

account_room room_in(const json& from) {
  const auto limits = from.find("limits");
  if (limits == from.end() || !limits->is_object()) return {};
  return {number_in(from, "storage"), number_in(*limits, "max_storage")};
}

}  // namespace

std::optional<account_room> parse_account(std::string_view answer, std::uint64_t replicas) {
  const auto all = json::parse(answer, nullptr, false);
  if (!all.is_object()) return std::nullopt;
  const auto copies = std::max<std::uint64_t>(1, replicas);
  auto out = room_in(all);
  // Limits by the number of copies count one of them, and those without count all.
  if (const auto tiers = all.find("tiers"); tiers != all.end() && tiers->is_object()) {
    const auto own = tiers->find("R" + std::to_string(copies));
    out = own != tiers->end() && own->is_object() ? room_in(*own) : account_room{};
  } else {
    out = {out.used / copies, out.allowed / copies};
  }
  return out.allowed == 0 ? std::nullopt : std::optional{out};
}

health::concerns account_watch::look(boot_time now) {
  if (const auto server = now < next_ ? nullptr : connection_()) {
    const auto answer = server->request_sync("$JS.API.INFO", {}, {}, answer_limit);
    if (answer) {
      room_ = parse_account(answer->data, replicas_).value_or(account_room{});
      has_answered_ = true;
    } else {
      next_ = now + asked_again_when_silent;
    }
  }
  const auto counted = seen_(room_);
  const bool unknown = has_answered_ && room_.allowed == 0 && !sees_disk_();
  probes_->get<room_probe>()->unknown.set(unknown ? 1 : 0);
  if (unknown)
    return {{false, "disk", "log room",
             "nobody knows how much room is left for the log: argosyd does not see the disk of the "
             "nats-server, which sets its account no limit, so that the disk can be full without a "
             "warning: give the account a limit below what the disk has (max_file of its "
             "JetStream)"}};
  if (!counted.reaches(eventlog::warn_percent)) return {};
  const bool short_of = counted.reaches(eventlog::shed_percent);
  return {{short_of, "disk", "log account",
           "the nats-server allows the streams of argosyd's account " + mib(room_.allowed) +
               ", of which " + mib(room_.free()) + " are free" +
               (short_of ? ", so that nothing new is accepted" : "") +
               ": raise that limit (max_file of its JetStream), or remove streams of others from "
               "the account"}};
}

}  // namespace argosy::argosyd
