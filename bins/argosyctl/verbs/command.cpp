// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bins/argosyctl/verbs/help.hpp"
#include "bins/argosyctl/verbs/system/version.hpp"

namespace argosy::ctl {

// Each stands in the file of its verb.
verb_definition define_submit, define_run, define_watch, define_wait, define_get, define_describe,
    define_explain, define_logs, define_cancel, define_preempt, define_hold, define_release,
    define_reprioritize, define_queue, define_retry_policy, define_pool, define_export, define_diff,
    define_apply, define_cluster, define_node, define_control_plane, define_login, define_config,
    define_open, define_top, define_status, define_audit, define_diag, define_support_bundle,
    define_actors, define_trace, define_who_am_i, define_auth, define_completion, define_version;

namespace {

constexpr std::array verbs{
    verb{"submit", "Submit the jobs of a file.", define_submit},
    verb{"run", "Run a command as a job, with its output and its exit code.", define_run},
    verb{"watch", "Print the events of jobs as they happen.", define_watch},
    verb{"wait", "Wait for jobs to end, or to reach a state.", define_wait},
    verb{"get", "List jobs, job sets, queues, nodes, clusters, pools or rounds.", define_get},
    verb{"describe", "Show everything about a job, a queue, a node or another thing.",
         define_describe},
    verb{"explain", "Say why a job waits, runs where it runs, or lost its place.", define_explain},
    verb{"logs", "Print the output of jobs.", define_logs},
    verb{"cancel", "Cancel jobs.", define_cancel},
    verb{"preempt", "End runs of preemptible jobs, to make room.", define_preempt},
    verb{"hold", "Keep jobs that wait from being started.", define_hold},
    verb{"release", "Let held jobs start again.", define_release},
    verb{"reprioritize", "Change the priority of jobs.", define_reprioritize},
    verb{"queue", "Create, change or delete queues.", define_queue},
    verb{"retry-policy", "Create, change or delete retry policies.", define_retry_policy},
    verb{"pool", "Change settings of pools.", define_pool},
    verb{"export", "Print queues, retry policies and settings as one file.", define_export},
    verb{"diff", "Show how the server differs from such a file.", define_diff},
    verb{"apply", "Give the server the queues and retry policies of a file.", define_apply},
    verb{"cluster", "Cordon or drain a cluster, or say that it is gone for good.", define_cluster},
    verb{"node", "Cordon, drain or release a node.", define_node},
    verb{"controlplane", "Show who leads and who follows, and hand the lead over.",
         define_control_plane},
    verb{"login", "Log in to a server, and keep it as the current context.", define_login},
    verb{"config", "Choose and change contexts, and the settings of argosyd.", define_config},
    verb{"open", "Print the address of the web page, or of a job there, and open it.", define_open},
    verb{"top", "Show queues, nodes, rounds or clusters on the whole terminal, with keys.",
         define_top},
    verb{"status", "Show what is wrong, what is full and what is slow.", define_status},
    verb{"audit", "List who changed what, and who was refused.", define_audit},
    verb{"actors", "Look into the running server.", define_actors},
    verb{"diag", "Change the levels of the server's log while it runs.", define_diag},
    verb{"support-bundle", "Collect what helps to find a fault, without secrets, in an archive.",
         define_support_bundle},
    verb{"trace", "Show what happened to a job, and why, across all processes.", define_trace},
    verb{"whoami", "Show who you are to the server, and your permissions.", define_who_am_i},
    verb{"auth", "Ask whether you may do something.", define_auth},
    verb{"completion", "Print a script that completes words in the shell.", define_completion},
    verb{"version", "Print the versions of this program and of the server.", define_version},
};

void add_connection_flags(CLI::App& app, global_flags& flags, std::string_view timeout_help) {
  app.add_option("--server", flags.server,
                 "URL of the server (else ARGOSY_SERVER, the context, the last argosyd --dev)")
      ->group(global_flags_group)
      ->type_name("URL");
  app.add_option("-c,--context", flags.context, "Context of the configuration file to use")
      ->group(global_flags_group)
      ->type_name("NAME");
  app.add_option("--armadaUrl", flags.armada_url)->group("");
  app.add_option("--config", flags.armada_config)->group("");
  app.add_option("--timeout", flags.timeout, std::string{timeout_help})
      ->group(global_flags_group)
      ->type_name("DURATION");
  app.add_option("--color", flags.colour, "auto, always or never")
      ->group(global_flags_group)
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void add_output_flags(CLI::App& app, global_flags& flags, const std::vector<std::string>& formats) {
  std::string list;
  bool tables = false;
  for (const auto& name : formats) {
    list += (list.empty() ? "" : ", ") + name + (name.ends_with('=') ? "A,B" : "");
    tables = tables || name == "wide";
  }
  app.add_option("-o,--output", flags.output, "One of " + list)->type_name("FORMAT");
  if (!tables) return;
  app.add_flag("--no-headers", flags.no_headers, "Leave out the first line of tables");
  app.add_option("--sort-by", flags.sort_by, "Column to sort by; -COLUMN sorts downwards")
      ->type_name("COLUMN");
}

}  // namespace

std::span<const verb> all_verbs() {
  return verbs;
}

command* command_set::of(const CLI::App* app) const {
  const auto found = commands_.find(app);
  return found == commands_.end() ? nullptr : found->second.get();
}

void command_set::add(CLI::App& app, std::unique_ptr<command> made) {
  add_connection_flags(app, flags_, made->timeout_help());
  if (const auto formats = made->formats(); !formats.empty())
    add_output_flags(app, flags_, formats);
  commands_.emplace(&app, std::move(made));
}

CLI::Option* takes_printed(CLI::Option* names, const std::string& kind) {
  return names->transform([kind](std::string name) {
    // A cluster may be called "node", so that node/n1 is its n1, and node/node/n1 is printed.
    const bool with_cluster = kind == "node" && name.find('/') == name.rfind('/');
    if (!with_cluster && name.starts_with(kind + "/")) name.erase(0, kind.size() + 1);
    return name;
  });
}

const CLI::App* find_subcommand(const CLI::App& app, const std::string& name) {
  for (const auto* sub : app.get_subcommands(nullptr)) {
    const auto& aliases = sub->get_aliases();
    if (sub->get_name() == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end())
      return sub;
  }
  return nullptr;
}

void define_all(CLI::App& app, command_set& commands) {
  app.allow_extras();
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", version_line(), "Print the version and end");
  add_connection_flags(app, commands.flags(), "Longest time for a request, or to wait");
  for (const auto& v : verbs) {
    auto* sub = app.add_subcommand(std::string{v.name}, std::string{v.summary});
    sub->group("Verbs");
    sub->allow_extras();
    v.define(*sub, commands);
    // Without this the parser takes the name of another verb or kind for that verb, wherever it
    // stands: "watch queue s" would be the verb queue.
    sub->require_subcommand(0, 1);
  }
  // Sub-commands inherit the footer if it is set when they are made.
  app.footer(
      "argosyctl submit jobs.yaml --wait\n"
      "argosyctl get jobs -q team-a --active\n"
      "argosyctl describe job 01k9x2\n"
      "argosyctl help exit-codes");
}

}  // namespace argosy::ctl
