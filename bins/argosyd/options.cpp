// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "bins/argosyd/live_settings.hpp"
#include "bins/shared/empty_values.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/options.hpp"
#include "bins/version.hpp"

namespace argosy::argosyd {

namespace {

/// The values that CLI11 fills in.
struct arguments {
  options out;
  std::string data_dir;
  std::string nats_url;
};

void add_serve_flags(CLI::App& app, arguments& args) {
  app.add_flag("--dev", args.out.dev,
               "Serve this machine: start a private nats-server and a local cluster whose jobs "
               "are processes here, of the user who starts it");
  app.add_option("--config", args.out.config_file, "Configuration file (YAML)");
  app.add_option("--data-dir", args.data_dir, "Where state is kept");
  app.add_option("--nats", args.nats_url, "URL of the nats-server");
  auto* simulated =
      app.add_option("--sim-clusters", args.out.sim_clusters,
                     "With --dev: so many clusters of virtual nodes instead of the local one")
          ->check(CLI::Range(1u, 1'000u));
  app.add_option("--sim-nodes", args.out.sim_nodes, "Virtual nodes in each simulated cluster")
      ->check(CLI::Range(1u, 100'000u))
      ->capture_default_str()
      ->needs(simulated);
  app.add_flag("--local", args.out.local, "With --sim-clusters: keep the local cluster as well")
      ->needs(simulated);
  app.add_flag("--plain-processes", args.out.plain_processes,
               "With --dev: look at no images, and run every command as a process of this machine, "
               "as where skopeo, umoci and crun are not installed");
  app.add_flag("--end-jobs-on-stop", args.out.end_jobs_on_stop,
               "With --dev: end the jobs of this machine when argosyd is told to stop. Otherwise "
               "they go on, and the next start finds them");
  app.add_flag(
      "--trust-clock", args.out.trust_clock,
      "Take the time of the wall clock at once, though it is far ahead of the newest change "
      "in the log. What is older than its retention by that time is then erased");
  app.add_flag("--leave-safe-mode", args.out.leave_safe_mode,
               "Decide rounds and accept jobs again, after argosyd crashed several times at one "
               "place and started in safe mode");
  app.add_option("--ready-file", args.out.ready_file,
                 "Written once requests are served; its first line is the server's URL");
}

/// The commands that look after the store and the log.
struct upkeep_commands {
  CLI::App* recover = nullptr;
  CLI::App* check = nullptr;
  CLI::App* backup = nullptr;
};

upkeep_commands add_upkeep(CLI::App& app, options& out) {
  upkeep_commands made;
  made.recover = app.add_subcommand(
      "recover",
      "Show what the data directory and the log know, and what the next start of argosyd does "
      "about it. The exit code is 0 if that needs no decision of an operator");
  made.recover->add_flag(
      "--accept-loss", out.accept_loss,
      "If the start refuses: begin a new generation of the log from the state in the "
      "data directory, and give up what only the log has");
  made.recover->add_option("--from", out.backup_folder,
                           "Put a backup into the data directory first, which must have no store. "
                           "The next start applies what the log has beyond it");
  made.check = app.add_subcommand(
      "check",
      "Read the store and the log, and say whether they are sound. Nothing is changed, and an "
      "argosyd may run meanwhile. The exit code is 0 if they are, and 3 if a fault was found");
  made.check->add_flag("--no-log", out.no_log, "Check the store alone, without a nats-server");
  made.backup = app.add_subcommand(
      "backup",
      "Write a copy of the store and the key of the log into a new folder. An argosyd may run "
      "meanwhile. 'argosyd recover --from DIR' puts it back");
  made.backup->add_option("DIR", out.backup_folder, "The folder; it must not exist, or be empty")
      ->required();
  made.backup->add_flag("--verify", out.verify,
                        "Read the copy again and check its tables before it gets its name");
  return made;
}

CLI::App* add_init(CLI::App& app, init_request& to) {
  auto* init = app.add_subcommand(
      "init",
      "Make, in a new folder, what a deployment needs: the configuration of a nats-server that "
      "asks everybody who he is, the keys, and the settings of argosyd and the agents");
  init->add_option("DIR", to.folder, "The folder")->required();
  init->add_option("--listen", to.listen, "HOST:PORT at which nats-server listens")
      ->capture_default_str();
  init->add_option("--url", to.url, "URL by which others reach it (default: from --listen)");
  init->add_option("--machines", to.machines,
                   "Three machines, a,b,c, of which any one may be lost: a nats-server and an "
                   "argosyd on each, with three copies of the log. To try it on one machine: "
                   "127.0.0.1,127.0.0.2,127.0.0.3")
      ->type_name("A,B,C");
  init->add_option("--grpc", to.grpc,
                   "HOST:PORT at which argosyd serves gRPC, with the same certificate, for Python "
                   "and other clients; each user then has a context that names it (default: off)");
  init->add_option("--tls-cert", to.certificate, "Certificate of the server (PEM)");
  init->add_option("--tls-key", to.certificate_key, "Its private key (PEM)");
  init->add_option("--tls-ca", to.authority,
                   "Certificates (PEM) by which argosyd and agents check the server's");
  init->add_option("--store-dir", to.store,
                   "Where nats-server keeps the log (default: /var/lib/NAME/jetstream for a folder "
                   "/etc/NAME, and jetstream in any other folder)");
  init->add_option("--cluster", to.clusters, "A cluster that has an agent; repeatable");
  init->add_option(
      "--user", to.users,
      "NAME:ROLE, a user; the roles are viewer, tenant, submitter (for NAME alone), operator and "
      "owner; repeatable (default: admin:operator)");
  init->add_option("--add-cluster", to.add_clusters, "Add a cluster to a folder that is there");
  init->add_option("--add-user", to.add_users,
                   "Add a user, NAME:ROLE or NAME, to a folder that is there");
  init->add_option("--remove", to.remove, "Remove agent/CLUSTER or user/NAME from it");
  init->add_option("--rotate", to.rotate,
                   "Give argosyd, agent/CLUSTER or user/NAME in it a new key and leave its "
                   "settings as they are");
  init->add_option("--kubernetes", to.context,
                   "Let the agent of the one cluster that is named run outside of a cluster of "
                   "Kubernetes, which this context of your kubeconfig file names, and write what "
                   "it needs there")
      ->type_name("CONTEXT");
  init->add_flag("--rewrite", to.rewrite,
                 "Write the rights of its members anew, as after an upgrade of argosyd, and then "
                 "its limits");
  return init;
}

/// Loads the settings from file, environment and flags; a --dev server has its own defaults.
result<loaded_settings> load(const options& chosen) {
  settings::sources from;
  from.environment = settings::system_environment();
  if (!chosen.config_file.empty()) {
    auto text = settings::read_file(chosen.config_file);
    if (!text) return fail(text.error());
    from.file = {chosen.config_file, std::move(*text)};
  }
  from.flags = chosen.setting_flags;
  auto loaded = settings::load_argosyd(from);
  if (!loaded) return fail(loaded.error());
  if (auto able = make_round_settings(loaded->value.scheduling); !able)
    return fail(able.error().code, settings::placed(able.error().detail, loaded->origins));
  if (!chosen.dev) return loaded;
  auto& value = loaded->value;
  const auto& origins = loaded->origins;
  if (!origins.contains("dataDir")) value.data_dir = dev_state_dir() / "data";
  if (!origins.contains("health.listen")) value.health.listen = "127.0.0.1:0";
  if (!origins.contains("grpc.listen")) value.grpc.listen = "127.0.0.1:0";
  if (!origins.contains("rest.enabled")) value.rest.enabled = true;
  if (!origins.contains("journal.logBytesMax"))
    value.journal.log_bytes_max.bytes = std::uint64_t{8} << 30;
  if (!origins.contains("api.defaultJobLimits"))
    value.api.rules.default_requests = {{"cpu", 1'000}, {"memory", 1 << 30}};
  return loaded;
}

result<void> check_combination(const options& chosen) {
  if (!chosen.dev && (chosen.sim_clusters > 0 || chosen.local || chosen.plain_processes))
    return fail(ec::invalid_argument, "--sim-clusters, --local and --plain-processes need --dev");
  if (!chosen.dev && chosen.end_jobs_on_stop)
    return fail(ec::invalid_argument,
                "--end-jobs-on-stop needs --dev: argosyd itself runs no jobs otherwise");
  const bool checks_log = chosen.what == command::check && !chosen.no_log;
  const bool restores = chosen.what == command::recover && !chosen.backup_folder.empty();
  const bool connects = chosen.what == command::serve ||
                        (chosen.what == command::recover && (!restores || chosen.accept_loss)) ||
                        checks_log;
  if (checks_log && chosen.dev && chosen.settings.value.nats.url.empty())
    return fail(ec::invalid_argument,
                "the server of --dev is not named: its URL is the first line of " +
                    (dev_state_dir() / "server.url").string() +
                    " while it runs; give --nats URL, or --no-log to check the store alone");
  if (!chosen.dev && chosen.settings.value.nats.url.empty() && connects)
    return fail(ec::invalid_argument,
                "no nats-server is named: give --nats URL, set nats.url in the configuration, or "
                "use --dev");
  return {};
}

}  // namespace

result<loaded_settings> reread_settings(const options& chosen) {
  if (chosen.config_file.empty())
    return fail(ec::not_found,
                "argosyd was started without --config, so that there is no file to read again");
  return load(chosen);
}

std::filesystem::path dev_state_dir() {
  return user_state_dir() / "dev";
}

tl::expected<options, early_exit> read_options(int argc, char** argv) {
  arguments args;
  CLI::App app{"The control plane of Argosy, a batch scheduler over many clusters", "argosyd"};
  app.set_version_flag("--version", std::string{"argosyd "} + version_text);
  add_serve_flags(app, args);
  auto* config = app.add_subcommand("config", "Look at the configuration");
  config->require_subcommand(1);
  auto* print = config->add_subcommand("print", "Print what is in effect and where it is set");
  auto* check = config->add_subcommand("check", "Check the configuration and end");
  const auto upkeep = add_upkeep(app, args.out);
  const auto* init = add_init(app, args.out.init);
  auto* version = app.add_subcommand("version", "Print the version");
  const auto* hash = app.add_subcommand(
      "hash-password",
      "Read a password from standard input and print what goes into access.users of the "
      "configuration");
  for (auto* sub : {config, print, check, upkeep.recover, upkeep.check, upkeep.backup})
    sub->fallthrough();
  try {
    app.parse(argc, argv);
    refuse_empty(app);
  } catch (const CLI::ParseError& err) {
    const bool wanted = err.get_exit_code() == 0;
    app.exit(err);
    return tl::unexpected{early_exit{wanted ? 0 : usage_code}};
  }
  if (upkeep.recover->parsed()) args.out.what = command::recover;
  if (upkeep.check->parsed()) args.out.what = command::check;
  if (upkeep.backup->parsed()) args.out.what = command::backup;
  if (version->parsed()) args.out.what = command::version;
  if (print->parsed()) args.out.what = command::config_print;
  if (check->parsed()) args.out.what = command::config_check;
  if (hash->parsed()) {
    args.out.what = command::hash_password;
    return args.out;
  }
  if (init->parsed()) {
    args.out.what = command::init;
    return args.out;
  }
  auto& flags = args.out.setting_flags;
  if (!args.data_dir.empty()) flags.emplace_back("dataDir", args.data_dir);
  if (!args.nats_url.empty()) flags.emplace_back("nats.url", args.nats_url);
  auto loaded = load(args.out);
  if (loaded) args.out.settings = std::move(*loaded);
  const auto able = loaded ? check_combination(args.out) : result<void>{fail(loaded.error())};
  if (!able) {
    std::cerr << "argosyd: " << able.error().detail << '\n';
    return tl::unexpected{early_exit{usage_code}};
  }
  return args.out;
}

}  // namespace argosy::argosyd
