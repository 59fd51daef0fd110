// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init/nats_rights.hpp"

#include <chrono>
#include <filesystem>

#include "bins/argosyd/init/init_plan.hpp"
#include "bins/argosyd/init/settings_text.hpp"
#include "bins/shared/refused_rights.hpp"
#include "runtime/access/server_limits.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

struct made_server {
  result<access::server_plan> plan;  ///< Fails where the folder is not on this machine.
  std::optional<std::string> fault_of_rights{};
  std::optional<std::string> fault_of_limits{};
};

namespace {

constexpr std::chrono::minutes asked_again{1};
/// Each question that is refused is a line in the log of the nats-server.
constexpr std::chrono::seconds asked_again_while_wrong{10};
constexpr std::chrono::seconds mark_answer_limit{2};

std::filesystem::path folder_of_init(const settings::nats_settings& nats) {
  return std::filesystem::path{nats.credentials_file}.parent_path().parent_path();
}

result<access::server_plan> plan_of(const settings::nats_settings& nats) {
  if (nats.credentials_file.empty())
    return fail(ec::not_found, "there are no credentials of argosyd init");
  const auto text = settings::read_file((folder_of_init(nats) / plan_file).string());
  if (!text) return fail(text.error());
  return access::parse_plan(*text);
}

std::string to_rewrite(const std::filesystem::path& folder, const std::string& fault) {
  return "in " + folder.string() + ", " + fault + "; say: argosyd init " + folder.string() +
         " --rewrite, and then what that prints";
}

made_server look_at_server(const settings::nats_settings& nats) {
  made_server out{plan_of(nats)};
  const auto folder = folder_of_init(nats);
  if (!out.plan) {
    if (out.plan.error().code == ec::invalid_argument)
      out.fault_of_rights = damaged_plan(folder / plan_file, out.plan.error());
    return out;
  }
  const auto accounts = settings::read_file((folder / access::accounts_file).string());
  auto machines = machines_of(*out.plan);
  if (machines.empty()) machines.emplace_back();
  for (const auto& machine : machines) {
    const auto file = access::conf_file_of(machine);
    const auto conf = settings::read_file((folder / file).string());
    if (!conf) continue;
    if (const auto fault = access::conf_fault(*out.plan, *conf, accounts.value_or("")))
      out.fault_of_rights = to_rewrite(folder, *fault);
    if (const auto older = access::older_limits(*conf); !older.empty())
      out.fault_of_limits = to_rewrite(
          folder, file + " has limits of an older version (" + older +
                      "), by which one key can fill the server's memory or hold others up, "
                      "or a full disk keep the server from opening the log");
  }
  return out;
}

}  // namespace

std::filesystem::path members_file(const settings::nats_settings& nats) {
  const auto folder = folder_of_init(nats);
  // Above credentials that lie elsewhere there may be a folder in which others write.
  const auto made = folder / credentials_of({access::role::control_plane, {}, {}});
  return made == std::filesystem::path{nats.credentials_file} ? folder / plan_file
                                                              : std::filesystem::path{};
}

std::optional<std::filesystem::path> store_of_server(const settings::nats_settings& nats) {
  const auto plan = plan_of(nats);
  if (!plan || plan->store_dir.empty()) return std::nullopt;
  return plan->store_dir;
}

std::vector<std::string> warnings_of_rights(const settings::nats_settings& nats) {
  const auto made = look_at_server(nats);
  std::vector<std::string> out;
  for (const auto* fault : {&made.fault_of_rights, &made.fault_of_limits})
    if (*fault) out.push_back(**fault);
  return out;
}

bool rights_watch::gives(const std::string& mark, boot_time now) {
  if (mark != asked_) {
    asked_ = mark;
    next_ = now;
    given_ = true;
  }
  const auto server = now < next_ ? nullptr : connection_();
  if (!server) return given_;
  const auto answer = server->request_sync(mark, {}, {}, mark_answer_limit);
  // Nobody serves it, which is what the server says of a subject that may be asked.
  if (answer || answer.error().code == ec::no_responders) given_ = true;
  if (!answer && answer.error().code == ec::denied) given_ = false;
  next_ = now + (given_ ? asked_again : asked_again_while_wrong);
  return given_;
}

std::optional<std::string> rights_watch::fault(const made_server& made, boot_time now) {
  if (nats_.credentials_file.empty()) return std::nullopt;
  if (made.fault_of_rights) return made.fault_of_rights;
  const auto& plan = made.plan;
  if (gives(plan ? access::mark_of_members(plan->members) : access::mark_of_rules(), now))
    return std::nullopt;
  if (!plan)
    return "the nats-server gives other rights than this version of argosyd: where its "
           "configuration was made, say argosyd init DIR --rewrite, and then what that prints";
  const auto file = (folder_of_init(nats_) / access::accounts_file).string();
  return "the nats-server runs on with other rights than '" + file +
         "' gives, so that whoever was removed or has fewer rights by it still may do what he "
         "could: " +
         access::reload_words(*plan) + ", or start it anew if its log says that it cannot reload";
}

health::concerns rights_watch::look(boot_time now) {
  auto made = look_at_server(nats_);
  auto found = fault(made, now);
  const auto server = connection_();
  auto out = server ? refusal_concerns(server->refusals(), "argosyd") : health::concerns{};
  probes_->get<rights_probe>()->stale.set(found || !out.empty() ? 1 : 0);
  if (found) out.push_back({true, "setup", "rights", std::move(*found)});
  if (made.fault_of_limits)
    out.push_back({false, "setup", "limits", std::move(*made.fault_of_limits)});
  return out;
}

}  // namespace argosy::argosyd
