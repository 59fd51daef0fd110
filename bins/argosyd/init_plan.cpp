// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init_plan.hpp"

#include <algorithm>
#include <utility>

#include "runtime/access/credentials.hpp"
#include "runtime/settings/argosyd_settings.hpp"

namespace argosy::argosyd {

namespace {

constexpr const char* first_user = "admin:operator";

std::string quoted_yaml(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

bool is_loopback(std::string_view listen) {
  return listen.starts_with("127.") || listen.starts_with("localhost:") ||
         listen.starts_with("[::1]:");
}

/// The file of a member's credentials below the folder.
std::filesystem::path credentials_of(const access::member& who) {
  const std::filesystem::path folder{"credentials"};
  switch (party_of(who.what)) {
    case access::party::control_plane:
      return folder / "argosyd";
    case access::party::agent:
      return folder / ("agent-" + who.name);
    case access::party::user:
      break;
  }
  return folder / ("user-" + who.name);
}

std::string nats_settings_text(const init_request& request, const access::server_plan& plan,
                               const access::member& who) {
  std::string out = "nats:\n  url: " + quoted_yaml(plan.url) + "\n  credentialsFile: " +
                    quoted_yaml((request.folder / credentials_of(who)).string()) + "\n";
  if (!plan.authority.empty()) out += "  caFile: " + quoted_yaml(plan.authority) + "\n";
  return out;
}

/// The size of the log, if its default is too large for this disk. A nats-server takes 75 % of what
/// is free, and needs room for two generations of the log.
std::string log_settings_text(std::uint64_t disk_free_bytes) {
  constexpr std::uint64_t gibi = std::uint64_t{1} << 30;
  const settings::argosyd_settings usual;
  const auto quarter = std::max<std::uint64_t>(disk_free_bytes / 4 / gibi, 1);
  if (disk_free_bytes == 0 || quarter * gibi >= usual.journal.log_bytes_max.bytes) return {};
  return "journal:\n  # a quarter of what was free on the disk of the nats-server\n  "
         "logBytesMax: " +
         std::to_string(quarter) + "GiB\n";
}

/// One run of init, which collects what it makes.
class maker {
 public:
  maker(const init_request& request, access::server_plan plan, const key_maker& make_key)
      : request_(request), plan_(std::move(plan)), make_key_(make_key) {}

  result<void> add_member(access::role what, const std::string& name) {
    access::member who{what, name, {}};
    for (const auto& known : plan_.members) {
      if (identity_of(known) != identity_of(who)) continue;
      if (known.what != what)
        return fail(ec::conflict, to_string(identity_of(known)) + " has the role " +
                                      std::string{to_string(known.what)} + "; remove it first");
      said_ += to_string(identity_of(known)) + " is there already.\n";
      return {};
    }
    auto key = make_key_();
    if (!key) return fail(std::move(key.error()));
    who.public_key = key->public_key;
    if (auto added = access::add(plan_, who); !added) return added;
    access::credentials secret{identity_of(who), key->seed};
    secret.tenant = what == access::role::tenant;
    if (auto done = add_order_key(what, secret); !done) return done;
    const auto file = credentials_of(who);
    files_.push_back({file, access::print_credentials(secret)});
    made_ += "  " + file.string() + "\n";
    add_settings(who);
    return {};
  }

  result<void> add_user(const std::string& text) {
    const auto colon = text.find(':');
    const auto what = colon == std::string::npos ? result<access::role>{access::role::submitter}
                                                 : access::parse_role(text.substr(colon + 1));
    if (!what) return fail(what.error());
    if (party_of(*what) != access::party::user)
      return fail(ec::invalid_argument, "'" + text + "': a user cannot have this role");
    return add_member(*what, text.substr(0, colon));
  }

  result<void> remove_member(const std::string& text) {
    const auto who = access::parse_identity(text);
    if (!who) return fail(who.error());
    if (who->what == access::party::control_plane)
      return fail(ec::invalid_argument, "argosyd cannot be removed");
    if (auto removed = access::remove(plan_, *who); !removed) return removed;
    said_ += text + " is removed; its key opens nothing after the server has reloaded.\n";
    return {};
  }

  init_outcome finish(bool anew) {
    files_.push_back({"nats-server.conf", access::server_conf(plan_)});
    files_.push_back({plan_file, access::print_plan(plan_)});
    if (!made_.empty()) said_ += "Made in " + request_.folder.string() + ":\n" + made_;
    said_ += anew ? how_to_start() : how_to_reload();
    return {std::move(files_), std::move(said_)};
  }

 private:
  /// The control plane signs orders; agents, and owners who may stand in for them, check them.
  result<void> add_order_key(access::role what, access::credentials& secret) {
    if (what == access::role::control_plane) {
      auto made = make_key_();
      if (!made) return fail(std::move(made.error()));
      secret.order_seed = std::move(made->seed);
      plan_.order_key = std::move(made->public_key);
    } else if ((what == access::role::agent || what == access::role::owner) &&
               !plan_.order_key.empty()) {
      secret.order_keys = {plan_.order_key};
    }
    return {};
  }

  /// The settings of the process that has this identity; a user's are two variables.
  void add_settings(const access::member& who) {
    if (party_of(who.what) == access::party::user) {
      const auto authority =
          plan_.authority.empty() ? std::string{} : "SSL_CERT_FILE=" + plan_.authority + " ";
      start_ += "  " + authority + "ARGOSY_SERVER=" + plan_.url +
                " ARGOSY_CREDENTIALS=" + in_folder(credentials_of(who)) + " argosyctl get queues\n";
      return;
    }
    const bool agent = who.what == access::role::agent;
    const auto file = agent ? std::filesystem::path{"agents"} / (who.name + ".yaml")
                            : std::filesystem::path{"argosyd.yaml"};
    std::string text = "# Written by `argosyd init`. What else can be set here is printed by:\n# ";
    text += agent ? "argosy-agent config print\ncluster: " + quoted_yaml(who.name) + "\n"
                  : "argosyd config print\n";
    text += nats_settings_text(request_, plan_, who);
    if (!agent) text += log_settings_text(request_.disk_free_bytes);
    files_.push_back({file, std::move(text)});
    made_ += "  " + file.string() + "\n";
    start_ += std::string{"  "} + (agent ? "argosy-agent" : "argosyd") + " --config " +
              in_folder(file) + "\n";
  }

  [[nodiscard]] std::string in_folder(const std::filesystem::path& file) const {
    return (request_.folder / file).string();
  }

  [[nodiscard]] std::string how_to_start() const {
    std::string out = "  nats-server.conf\n  " + std::string{plan_file} +
                      "\nThe files under credentials/ are secrets: each belongs on the machine "
                      "of its owner,\nwith the settings file that names it, and nowhere else.\n";
    if (plan_.certificate.empty())
      out +=
          "WARNING: the link is not encrypted, since there is no --tls-cert; it serves this "
          "machine only.\n";
    return out + "Start:\n  nats-server -c " + in_folder("nats-server.conf") + "\n" + start_;
  }

  [[nodiscard]] std::string how_to_reload() const {
    return "Now let the server read its configuration again:\n  nats-server --signal reload\n" +
           (start_.empty() ? std::string{} : "Then:\n" + start_);
  }

  const init_request& request_;
  access::server_plan plan_;
  const key_maker& make_key_;
  std::vector<init_file> files_;
  std::string made_;
  std::string start_;
  std::string said_;
};

result<access::server_plan> fresh_plan(const init_request& request) {
  if (request.listen == "off" || settings::listen_address()(request.listen))
    return fail(ec::invalid_argument,
                "--listen " + request.listen + " is not HOST:PORT, such as 127.0.0.1:4222");
  access::server_plan plan;
  plan.listen = request.listen;
  plan.certificate = request.certificate;
  plan.certificate_key = request.certificate_key;
  plan.authority = request.authority;
  plan.store_dir = (request.folder / "jetstream").string();
  const bool encrypted = !plan.certificate.empty();
  if (encrypted != !plan.certificate_key.empty())
    return fail(ec::invalid_argument, "--tls-cert and --tls-key belong together");
  if (!encrypted && !is_loopback(request.listen))
    return fail(ec::invalid_argument,
                "--listen " + request.listen +
                    " can be reached from other machines, so that the link has to be encrypted: "
                    "give --tls-cert and --tls-key");
  plan.url =
      request.url.empty() ? (encrypted ? "tls://" : "nats://") + request.listen : request.url;
  for (const auto& text : {plan.listen, plan.url, plan.store_dir, plan.certificate,
                           plan.certificate_key, plan.authority})
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
      return fail(ec::invalid_argument, "paths and addresses have no control characters");
  return plan;
}

}  // namespace

result<init_outcome> plan_init(const init_request& request,
                               const std::optional<std::string>& present,
                               const key_maker& make_key) {
  const auto file = (request.folder / plan_file).string();
  if (present && !request.changes())
    return fail(ec::conflict, file +
                                  " is there already; --add-user, --add-cluster and --remove "
                                  "change that deployment");
  if (!present && request.changes())
    return fail(ec::not_found, "there is no " + file + "; `argosyd init DIR` makes it");
  auto plan = present ? access::parse_plan(*present) : fresh_plan(request);
  if (!plan) return fail(plan.error().code, (present ? file + ": " : "") + plan.error().detail);
  maker all{request, std::move(*plan), make_key};
  result<void> done;
  const auto each = [&](const std::vector<std::string>& names, auto&& what) {
    for (const auto& name : names)
      if (done) done = what(name);
  };
  const auto cluster = [&](const std::string& name) {
    return all.add_member(access::role::agent, name);
  };
  const auto user = [&](const std::string& text) { return all.add_user(text); };
  if (!present) {
    done = all.add_member(access::role::control_plane, {});
    each(request.clusters, cluster);
    each(request.users.empty() ? std::vector<std::string>{first_user} : request.users, user);
  }
  each(request.remove, [&](const std::string& text) { return all.remove_member(text); });
  each(request.add_clusters, cluster);
  each(request.add_users, user);
  if (!done) return fail(std::move(done.error()));
  return all.finish(!present);
}

}  // namespace argosy::argosyd
