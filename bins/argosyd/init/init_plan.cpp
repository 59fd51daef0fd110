// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init/init_plan.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <set>
#include <utility>

#include "bins/argosyd/init/kubernetes_files.hpp"
#include "bins/argosyd/init/new_options.hpp"
#include "bins/argosyd/init/settings_text.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/access/key_password.hpp"
#include "runtime/access/server_limits.hpp"
#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/settings/checks/address.hpp"

namespace argosy::argosyd {

namespace {

/// A key of the log, which cannot be told from one that was drawn for it.
std::string log_key_from(const std::string& seed) {
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  const auto text = "key of the log " + seed;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

/// One run of init, which collects what it makes.
class maker {
 public:
  maker(const init_request& request, access::server_plan plan, const file_reader& present,
        const key_maker& make_key)
      : request_(request), plan_(std::move(plan)), present_(present), make_key_(make_key) {}

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
    made_ += "  " + file.string();
    if (identity_of(who).what == access::party::user)
      made_ += " (" + std::string{to_string(what)} + ")";
    made_ += "\n";
    if (auto done = add_context(who, secret); !done) return done;
    return add_settings(who);
  }

  /// Draws a new key. The file keeps what it has besides, such as the keys of orders.
  result<void> rotate_key(const std::string& text) {
    const auto who = access::parse_identity(text);
    if (!who) return fail(who.error());
    auto key = make_key_();
    if (!key) return fail(std::move(key.error()));
    if (auto replaced = access::replace_key(plan_, *who, key->public_key); !replaced)
      return replaced;
    const auto member = *std::ranges::find(plan_.members, *who, access::identity_of);
    const auto file = credentials_of(member);
    auto secret = kept_secret(member);
    if (!secret) return fail(std::move(secret.error()));
    secret->seed = std::move(key->seed);
    files_.push_back({file, access::print_credentials(*secret)});
    made_ += "  " + file.string() + "\n";
    if (auto done = add_context(member, *secret); !done) return done;
    said_ += text + " has a new key; the one before opens nothing after the server has reloaded. " +
             (who->what == access::party::user
                  ? "Give\nhim the file.\n"
                  : "Bring\nthe file to its machine and start the program there again; jobs go on "
                    "meanwhile.\n");
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

  result<init_outcome> finish(bool anew) {
    auto accounts = access::accounts_conf(plan_);
    const auto before = present_(access::accounts_file);
    const bool same_rights = before && *before == accounts;
    files_.push_back({access::accounts_file, std::move(accounts), true});
    if (auto done = add_server_confs(same_rights); !done) return fail(std::move(done.error()));
    files_.push_back({plan_file, access::print_plan(plan_)});
    if (!made_.empty()) said_ += "Made in " + request_.folder.string() + ":\n" + made_;
    said_ += anew ? how_to_start() : how_to_reload();
    return init_outcome{std::move(files_), plan_.store_dir, std::move(said_)};
  }

 private:
  result<void> add_server_confs(bool same_rights) {
    auto machines = machines_of(plan_);
    if (machines.empty()) machines.emplace_back();
    for (const auto& machine : machines)
      if (auto done = add_server_conf(machine, same_rights); !done) return done;
    return {};
  }

  /// The configuration is written if there is none, and changed if it is of a version that had the
  /// rights in it or other limits. A server that runs refuses both for the sake of limits, so that
  /// rights come first.
  result<void> add_server_conf(const std::string& machine, bool same_rights) {
    const auto server_file = access::conf_file_of(machine);
    auto text = present_(server_file);
    if (!text && text.error().code != ec::not_found) return fail(std::move(text.error()));
    if (!text || text->empty()) {
      files_.push_back({server_file, access::server_conf(plan_, machine), true});
    } else if (!access::includes_accounts(*text)) {
      auto divided = access::divided_conf(*text);
      if (divided)
        files_.push_back({server_file, std::move(*divided), true});
      else
        said_ += "WARNING: " + in_folder(server_file) +
                 " is not as `argosyd init` wrote it and stays as it is.\nHave it include \"" +
                 std::string{access::accounts_file} + "\" in place of the accounts that it has.\n";
    } else if (const auto older = access::older_limits(*text); !older.empty()) {
      if (request_.rewrite && same_rights) {
        files_.push_back({server_file, *access::with_limits(*text), true});
        restarts_ = true;
      } else {
        said_ += "WARNING: " + in_folder(server_file) + " has limits of an older version (" +
                 older + ").\nSay " +
                 (request_.rewrite ? "this again, " : "argosyd init DIR --rewrite, ") +
                 "when the server has read the rights.\n";
      }
    }
    return {};
  }

  /// What the file of this member has, or would have if it were made anew.
  result<access::credentials> kept_secret(const access::member& who) {
    const auto text = present_(credentials_of(who));
    if (text) {
      auto kept = access::parse_credentials(*text);
      if (!kept)
        kept.error().detail = in_folder(credentials_of(who)) + ": " + kept.error().detail +
                              "; put the file back as it was";
      return kept;
    }
    if (text.error().code != ec::not_found) return fail(text.error());
    access::credentials out{identity_of(who), {}};
    out.tenant = who.what == access::role::tenant;
    if (who.what == access::role::control_plane)
      return fail(ec::not_found, in_folder(credentials_of(who)) +
                                     " is not there, and nothing else has the key that signs "
                                     "orders; put the file back first");
    if (auto done = add_order_key(who.what, out); !done) return fail(std::move(done.error()));
    return out;
  }

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

  /// A user of gRPC has a folder with all that his programs need: his key, and the context that
  /// names it, with a password that follows from it.
  result<void> add_context(const access::member& who, const access::credentials& secret) {
    if (party_of(who.what) != access::party::user || plan_.grpc.empty()) return {};
    const auto password = access::key_password(secret.seed);
    if (!password) return fail(password.error());
    const auto folder = std::filesystem::path{"contexts"} / who.name;
    files_.push_back({folder / "credentials", access::print_credentials(secret)});
    files_.push_back({folder / "config.yaml", context_text(plan_, who, *password)});
    made_ += "  " + folder.string() + " (his ~/.config/argosy)\n";
    return {};
  }

  /// The settings of the process that has this identity; a user's are two variables.
  result<void> add_settings(const access::member& who) {
    if (party_of(who.what) == access::party::user && !plan_.machines.empty() &&
        !plan_.authority.empty()) {
      // Servers of several names are known by their authority alone, which only a context names.
      start_ += "  argosyctl config set-context argosy --server " + plan_.url + " --credentials " +
                in_folder(credentials_of(who)) + " --ca-file " + plan_.authority +
                "\n  argosyctl --context argosy get queues\n";
      return {};
    }
    if (party_of(who.what) == access::party::user) {
      const auto authority =
          plan_.authority.empty() ? std::string{} : "SSL_CERT_FILE=" + plan_.authority + " ";
      start_ += "  " + authority + "ARGOSY_SERVER=" + plan_.url +
                " ARGOSY_CREDENTIALS=" + in_folder(credentials_of(who)) + " argosyctl get queues\n";
      return {};
    }
    const bool agent = who.what == access::role::agent;
    if (!agent && !plan_.machines.empty()) return add_settings_of_machines(who);
    if (agent && request_.kubernetes)
      if (auto done = add_kubernetes(who.name); !done) return done;
    const auto file = agent ? std::filesystem::path{"agents"} / (who.name + ".yaml")
                            : std::filesystem::path{settings_file_of({})};
    start_ += std::string{"  "} + (agent ? "argosy-agent" : "argosyd") + " --config " +
              in_folder(file) + "\n";
    return add_unless_present({file, settings_text(request_, plan_, who)});
  }

  /// Three argosyd have their own settings and one key of the log.
  result<void> add_settings_of_machines(const access::member& who) {
    auto drawn = make_key_();
    if (!drawn) return fail(std::move(drawn.error()));
    files_.push_back({log_key_file, log_key_from(drawn->seed)});
    made_ += std::string{"  "} + log_key_file + "\n";
    for (const auto& machine : machines_of(plan_)) {
      start_ += "  argosyd --config " + in_folder(settings_file_of(machine)) + "\n";
      const auto text = settings_text(request_, plan_, who, machine);
      if (auto done = add_unless_present({settings_file_of(machine), text}); !done) return done;
    }
    return {};
  }

  /// Leaves a file that is there as it is, since somebody may have edited it.
  result<void> add_unless_present(init_file file) {
    const auto known = present_(file.path);
    if (!known && known.error().code != ec::not_found) return fail(known.error());
    if (known && !known->empty())
      said_ += in_folder(file.path) + " is there already and stays as it is.\n";
    else
      made_ += "  " + files_.emplace_back(std::move(file)).path.string() + "\n";
    return {};
  }

  result<void> add_kubernetes(const std::string& cluster) {
    for (auto& file : kubernetes_files(request_, cluster))
      if (auto done = add_unless_present(std::move(file)); !done) return done;
    start_ += how_to_apply(request_, cluster) + "Then start it:\n";
    return {};
  }

  [[nodiscard]] std::string in_folder(const std::filesystem::path& file) const {
    return (request_.folder / file).string();
  }

  /// The lines that start the nats-servers, each on its machine.
  [[nodiscard]] std::string server_commands() const {
    std::string out;
    const auto line = [&](const std::string& machine) {
      out += "  nats-server -c " + in_folder(access::conf_file_of(machine)) + "\n";
    };
    const auto machines = machines_of(plan_);
    if (machines.empty()) line({});
    for (const auto& machine : machines) line(machine);
    return out;
  }

  /// What to do first where each machine has programs of its own.
  [[nodiscard]] std::string words_of_machines() const {
    if (plan_.machines.empty() || on_one_machine(plan_)) return {};
    return "Copy the folder to the same place on each of the machines " + plan_.machines +
           ";\nof credentials/ they need argosyd and log.key alone. Of the lines below, those with "
           "the name\nof a machine belong on that machine. Their nats-servers have to be 2.10.23 "
           "or "
           "newer.\n";
  }

  [[nodiscard]] std::string how_to_start() const {
    std::string confs;
    for (const auto& machine : machines_of(plan_))
      confs += "  " + access::conf_file_of(machine) + "\n";
    if (confs.empty()) confs = "  " + access::conf_file_of() + "\n";
    std::string out = confs + "  " + access::accounts_file + "\n  " + plan_file +
                      "\nThe log of the nats-server goes to " + plan_.store_dir +
                      ". Whoever runs it must be able to\nwrite there; for a user of its own: "
                      "chown USER " +
                      plan_.store_dir +
                      "\nThe files under credentials/ are secrets: each belongs on the machine "
                      "of its owner,\nwith the settings file that names it, and nowhere else.\n";
    if (plan_.certificate.empty())
      out +=
          "WARNING: the link is not encrypted, since there is no --tls-cert; it serves this "
          "machine only.\n";
    return out + words_of_machines() + "Start:\n" + server_commands() + start_;
  }

  [[nodiscard]] std::string how_to_reload() const {
    if (restarts_)
      return "Now start the nats-server anew: one that runs refuses to read these limits. Jobs go "
             "on "
             "meanwhile.\n";
    if (!plan_.machines.empty() && !on_one_machine(plan_))
      return "Now copy the folder to each of the machines " + plan_.machines +
             " again, and let their servers read\ntheir configuration:\n  " + reload_words(plan_) +
             "\n" + (start_.empty() ? std::string{} : "Then:\n" + start_);
    return "Now let the server read its configuration again:\n  " + reload_words(plan_) + "\n" +
           (start_.empty() ? std::string{} : "Then:\n" + start_);
  }

  const init_request& request_;
  access::server_plan plan_;
  const file_reader& present_;
  const key_maker& make_key_;
  std::vector<init_file> files_;
  std::string made_;
  std::string start_;
  std::string said_;
  bool restarts_ = false;  ///< The nats-server has to be started anew.
};

/// The URL of gRPC, which has the certificate and the name of the nats-server.
result<std::string> grpc_url(const init_request& request, const std::string& url) {
  if (request.grpc.empty()) return std::string{};
  if (request.grpc == "off" || settings::listen_address()(request.grpc))
    return fail(ec::invalid_argument,
                "--grpc " + request.grpc + " is not HOST:PORT, such as 127.0.0.1:50051");
  const bool encrypted = !request.certificate.empty();
  if (!encrypted && !settings::is_loopback(settings::host_of(request.grpc)))
    return fail(ec::invalid_argument,
                "--grpc " + request.grpc +
                    " can be reached from other machines, so that it has to be encrypted: give "
                    "--tls-cert and --tls-key");
  const auto port = request.grpc.substr(request.grpc.rfind(':'));
  if (port == ":0") return fail(ec::invalid_argument, "--grpc needs a port that users can be told");
  auto host = request.grpc.substr(0, request.grpc.size() - port.size());
  if ((encrypted && !request.url.empty()) || !request.machines.empty()) {
    const auto first = url.substr(0, url.find(','));
    const auto begin = first.find("://");
    host = first.substr(begin == std::string::npos ? 0 : begin + 3);
    host.resize(std::min(host.size(), host.find('/')));
    if (const auto at = host.rfind(':'); at != std::string::npos && !host.ends_with(']'))
      host.resize(at);
  }
  return (encrypted ? "grpcs://" : "grpc://") + host + port;
}

constexpr std::size_t machines_wanted = 3;
/// The highest port of the clients that leaves one for the routes, which is 2,000 above.
constexpr unsigned listen_port_max = 63'535;

/// Sets what three machines have in place of what one has.
result<void> plan_machines(const init_request& request, access::server_plan& plan) {
  plan.machines = request.machines;
  const auto all = machines_of(plan);
  const auto wrong = [&](const std::string& why) {
    return fail(ec::invalid_argument, "--machines " + request.machines + ": " + why);
  };
  if (all.size() != machines_wanted || std::set(all.begin(), all.end()).size() != machines_wanted)
    return wrong("name three different machines, such as a,b,c: of three any one may be lost");
  for (const auto& each : all)
    if (settings::check_nats_urls("nats://" + each + ":4222") || each.starts_with('-') ||
        each.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") !=
            std::string::npos)
      return wrong("'" + each + "' is no name or IPv4 address of a machine");
  if (!request.url.empty()) return wrong("the URL follows from it, so that there is no --url");
  const auto loopback = std::ranges::count_if(all, settings::is_loopback);
  const auto colon = request.listen.rfind(':');
  const auto number = std::stoul(request.listen.substr(colon + 1));
  if (number == 0 || number > listen_port_max)
    return wrong("the port of --listen is from 1 to " + std::to_string(listen_port_max) +
                 ", since the servers reach one another 2,000 above it");
  const auto port = request.listen.substr(colon);
  if (loopback != 0 &&
      std::ranges::any_of(all, [](auto& each) { return !each.starts_with("127."); }))
    return wrong("either all are addresses such as 127.0.0.1, to try it on one machine, or none");
  const bool encrypted = !request.certificate.empty();
  if ((loopback == 0 && !encrypted) || (encrypted && request.authority.empty()))
    return wrong(
        "links between machines have to be encrypted: give --tls-cert, --tls-key and --tls-ca, "
        "with "
        "an authority of your own and certificates of it for servers and clients, which lie at the "
        "same place on each machine");
  if (loopback == 0 && settings::is_loopback(settings::host_of(request.listen)))
    plan.listen = "0.0.0.0" + port;
  plan.url.clear();
  for (const auto& each : all)
    plan.url +=
        (plan.url.empty() ? "" : ",") + std::string{encrypted ? "tls://" : "nats://"} + each + port;
  plan.pid_file.clear();
  return {};
}

result<access::server_plan> fresh_plan(const init_request& request) {
  if (request.listen == "off" || settings::listen_address()(request.listen))
    return fail(ec::invalid_argument,
                "--listen " + request.listen + " is not HOST:PORT, such as 127.0.0.1:4222");
  access::server_plan plan;
  plan.listen = request.listen;
  plan.certificate = request.certificate;
  plan.certificate_key = request.certificate_key;
  plan.authority = request.authority;
  const auto& state = request.state.empty() ? request.folder : request.state;
  const auto store = request.store.empty() ? state / "jetstream" : request.store;
  plan.store_dir = store.string();
  // A folder that is there when the server starts, even if the log's disk was lost.
  const bool within = store.parent_path() == request.folder;
  plan.pid_file = ((within ? request.folder : store) / "nats-server.pid").string();
  const bool encrypted = !plan.certificate.empty();
  if (encrypted != !plan.certificate_key.empty())
    return fail(ec::invalid_argument, "--tls-cert and --tls-key belong together");
  if (!encrypted && request.machines.empty() &&
      !settings::is_loopback(settings::host_of(request.listen)))
    return fail(ec::invalid_argument,
                "--listen " + request.listen +
                    " can be reached from other machines, so that the link has to be encrypted: "
                    "give --tls-cert and --tls-key");
  plan.url =
      request.url.empty() ? (encrypted ? "tls://" : "nats://") + request.listen : request.url;
  if (!request.machines.empty())
    if (auto planned = plan_machines(request, plan); !planned)
      return fail(std::move(planned.error()));
  auto grpc = grpc_url(request, plan.url);
  if (!grpc) return fail(std::move(grpc.error()));
  plan.grpc = std::move(*grpc);
  for (const auto& text : {plan.listen, plan.url, plan.store_dir, plan.certificate,
                           plan.certificate_key, plan.authority, plan.grpc})
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
      return fail(ec::invalid_argument, "paths and addresses have no control characters");
  return plan;
}

}  // namespace

std::filesystem::path state_of(const std::filesystem::path& folder,
                               const std::filesystem::path& config,
                               const std::filesystem::path& state) {
  if (folder.parent_path() == "/etc") return "/var/lib" / folder.filename();
  if (folder.parent_path() == config) return state / folder.filename();
  return {};
}

bool is_of_argosyd(const std::filesystem::path& file) {
  const auto name = file.string();
  return name == plan_file || name == log_key_file || name == "credentials/argosyd" ||
         (name.starts_with("argosyd.") && !file.has_parent_path());
}

std::string damaged_plan(const std::filesystem::path& file, const error& why) {
  return file.string() + ": " + why.detail +
         "; mend it, or put a copy of it back: nothing else says who may join";
}

result<init_outcome> plan_init(const init_request& request, const file_reader& reader,
                               const key_maker& make_key) {
  const auto file = (request.folder / plan_file).string();
  const auto present = reader(plan_file);
  if (!present && present.error().code != ec::not_found) return fail(present.error());
  if (present && !request.changes())
    return fail(ec::conflict, file +
                                  " is there already; --add-user, --add-cluster, --remove, "
                                  "--rotate and --rewrite change that deployment");
  if (!present && request.changes())
    return fail(ec::not_found, "there is no " + file + "; `argosyd init DIR` makes it");
  if (auto fits = check_kubernetes(request); !fits) return fail(std::move(fits.error()));
  auto plan = present ? access::parse_plan(*present) : fresh_plan(request);
  if (!plan && present) return fail(plan.error().code, damaged_plan(file, plan.error()));
  if (!plan) return fail(std::move(plan.error()));
  if (auto fits = present ? refuse_another(request, *plan) : check_url(request); !fits)
    return fail(std::move(fits.error()));
  maker all{request, std::move(*plan), reader, make_key};
  result<void> done;
  const auto each = [&](const std::vector<std::string>& names, auto&& what) {
    for (const auto& name : names)
      if (done) done = what(name);
  };
  const auto cluster = [&](auto& name) { return all.add_member(access::role::agent, name); };
  if (!present) {
    done = all.add_member(access::role::control_plane, {});
    each(request.clusters, cluster);
    each(request.users.empty() ? std::vector<std::string>{"admin:operator"} : request.users,
         [&](auto& text) { return all.add_user(text); });
  }
  each(request.remove, [&](auto& text) { return all.remove_member(text); });
  each(request.add_clusters, cluster);
  each(request.add_users, [&](auto& text) { return all.add_user(text); });
  each(request.rotate, [&](auto& text) { return all.rotate_key(text); });
  if (!done) return fail(std::move(done.error()));
  return all.finish(!present);
}

}  // namespace argosy::argosyd
