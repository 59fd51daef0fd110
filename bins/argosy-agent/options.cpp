// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <string>

#include "bins/shared/empty_values.hpp"
#include "bins/shared/ending.hpp"
#include "bins/version.hpp"

namespace argosy::agent {

namespace {

/// The values that CLI11 fills in.
struct arguments {
  options out;
  std::string cluster;
  std::string pool;
  std::string backend;
  std::string data_dir;
  std::string nats_url;
};

void add_flags(CLI::App& app, arguments& args) {
  app.add_option("--cluster", args.cluster, "Name of this cluster, unique among all");
  app.add_option("--pool", args.pool, "Pool of its nodes (default: default)");
  app.add_option("--backend", args.backend,
                 "How jobs are run (default: process): " + settings::backends_text());
  app.add_option("--config", args.out.config_file, "Configuration file (YAML)");
  app.add_option("--data-dir", args.data_dir, "Where state and the output of jobs are kept");
  app.add_option("--nats", args.nats_url, "URL of the nats-server");
  app.add_flag("--take-over", args.out.take_over,
               "Serve the cluster though another agent of it is in contact, whose runs then have "
               "to end first");
  app.add_flag("--join-control-plane", args.out.join_control_plane,
               "Leave the control plane that this agent belongs to, and belong to the one that "
               "answers: the runs that it still has are ended first");
  app.add_option("--ready-file", args.out.ready_file,
                 "Written once the control plane has answered; its first line is the server's URL");
}

result<void> load(arguments& args) {
  settings::sources from;
  from.environment = settings::system_environment();
  if (!args.out.config_file.empty()) {
    auto text = settings::read_file(args.out.config_file);
    if (!text) return fail(std::move(text.error()));
    from.file = {args.out.config_file, std::move(*text)};
  }
  const std::map<std::string, std::string> flags{{"cluster", args.cluster},
                                                 {"pool", args.pool},
                                                 {"backend", args.backend},
                                                 {"dataDir", args.data_dir},
                                                 {"nats.url", args.nats_url}};
  for (const auto& [path, value] : flags)
    if (!value.empty()) from.flags.emplace_back(path, value);
  auto loaded = settings::load_agent(from);
  if (!loaded) return fail(std::move(loaded.error()));
  args.out.settings = std::move(*loaded);
  return {};
}

/// Checks the settings that are needed only to serve.
result<void> check_complete(const settings::agent_settings& settings) {
  if (settings.cluster.empty())
    return fail(
        ec::invalid_argument,
        "the cluster has no name: give --cluster NAME, or set cluster in the configuration");
  if (settings.nats.url.empty())
    return fail(ec::invalid_argument,
                "no nats-server is named: give --nats URL, or set nats.url in the configuration");
  return {};
}

}  // namespace

tl::expected<options, early_exit> read_options(int argc, char** argv) {
  arguments args;
  CLI::App app{"The agent of one worker cluster of Argosy, a batch scheduler over many clusters",
               "argosy-agent"};
  app.set_version_flag("--version",
                       std::string{"argosy-agent "} + version_text + " (" + commit_text + ")");
  add_flags(app, args);
  auto* config = app.add_subcommand("config", "Look at the configuration");
  config->require_subcommand(1);
  auto* print = config->add_subcommand("print", "Print what is in effect and where it is set");
  auto* check = config->add_subcommand("check", "Check the configuration and end");
  for (auto* sub : {config, print, check}) sub->fallthrough();
  try {
    app.parse(argc, argv);
    refuse_empty(app);
  } catch (const CLI::ParseError& err) {
    const bool wanted = err.get_exit_code() == 0;
    app.exit(err);
    return tl::unexpected{early_exit{wanted ? 0 : usage_code}};
  }
  if (print->parsed()) args.out.what = command::config_print;
  if (check->parsed()) args.out.what = command::config_check;
  auto loaded = load(args);
  if (loaded && args.out.what == command::serve) loaded = check_complete(args.out.settings.value);
  if (!loaded) {
    std::cerr << "argosy-agent: " << loaded.error().detail << '\n';
    return tl::unexpected{early_exit{usage_code}};
  }
  return args.out;
}

}  // namespace argosy::agent
