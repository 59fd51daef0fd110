// SPDX-License-Identifier: Apache-2.0
// The verb support-bundle collects what somebody who helps from afar wants to see, without
// secrets, in one archive.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/oncall/local_parts.hpp"
#include "bins/argosyctl/verbs/oncall/redact.hpp"
#include "bins/argosyctl/verbs/oncall/tar_gz.hpp"
#include "bins/version.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/proto/api/scheduler_reporting.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/trace.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/settings/load.hpp"
#include "runtime/trace/export/chrome_trace.hpp"

namespace argosy::ctl {

namespace {

class bundle;

class support_bundle final : public command {
 public:
  explicit support_bundle(CLI::App& app) {
    app.footer(
        "argosyctl support-bundle\n"
        "argosyctl support-bundle --argosyd-config /etc/argosy/argosyd.yaml\n"
        "argosyctl support-bundle /tmp/bundle.tar.gz && tar tzf /tmp/bundle.tar.gz");
    app.add_option("file", file_,
                   "Where the archive goes; argosy-support-TIME.tar.gz in this folder if it is not "
                   "given. It must not exist yet")
        ->type_name("FILE");
    app.add_option("--argosyd-config", config_,
                   "The configuration file of an argosyd of this machine: it, and what its dataDir "
                   "has to say, come into the archive, also when that argosyd is dead")
        ->type_name("FILE");
    app.add_option("--data-dir", data_dir_,
                   "The data directory of an argosyd of this machine, if it is not that of "
                   "--argosyd-config")
        ->type_name("DIR");
    app.add_option("--nats-monitor", monitor_,
                   "Where the nats-server answers about itself, if its configuration says so "
                   "(http_port)")
        ->type_name("URL")
        ->capture_default_str();
  }
  std::string_view completes() const override { return "files"; }
  result<exit_code> run(session& s) override;

 private:
  void add_local(session& s, bundle& into);
  void add_nats(session& s, bundle& into);

  std::string file_;
  std::string config_;
  std::string data_dir_;
  std::string monitor_ = "http://127.0.0.1:8222";
};

/// Collects files. What the server does not give, because of rights or since it fails, is noted in
/// the archive and hinders nothing else.
class bundle {
 public:
  explicit bundle(std::string folder) : folder_(std::move(folder)) {}

  /// Asks for something and keeps what `text` makes of the answer. When nobody has answered one
  /// question, no further one waits for its time-out.
  template <class Response, class Request, class Text>
  void ask(client& server, const char* name, const char* method, const Request& request,
           Text text) {
    if (gone_) {
      lack(fmt::format("{}: nobody answers", name));
      return;
    }
    auto answer = call<Response>(server, method, request);
    if (answer) {
      ++answers_;
      add(name, text(*answer));
      return;
    }
    const auto code = answer.error().code;
    gone_ = code == ec::unreachable || code == ec::no_responders || code == ec::timeout;
    denied_ = denied_ && code == ec::denied;
    note(fmt::format("{}: {} failed: {}", name, method, answer.error().detail));
  }

  void add(const std::string& name, const std::string& content) {
    files_.push_back({folder_ + "/" + name, redacted(content)});
  }
  /// Notes what is not in the archive, and why, where that is not for want of rights.
  void lack(const std::string& line) {
    denied_ = false;
    note(line);
  }
  void no_server(const std::string& why) {
    gone_ = true;
    lack("server: " + why);
  }

  [[nodiscard]] const std::string& missing() const { return missing_; }
  /// All is there, or what the caller may see; some of it is; or the server gave nothing.
  [[nodiscard]] exit_code code() const {
    if (answers_ == 0) return exit_code::unreachable;
    return missing_.empty() || denied_ ? exit_code::success : exit_code::partial;
  }
  std::vector<archived_file> take() {
    if (!missing_.empty()) add("missing.txt", missing_);
    return std::move(files_);
  }

 private:
  void note(const std::string& line) { missing_ += redacted(line) + "\n"; }

  std::string folder_;
  int answers_ = 0;
  bool gone_ = false;
  bool denied_ = true;  ///< Whatever is missing was refused to the caller.
  std::string missing_;
  std::vector<archived_file> files_;
};

std::string settings_text(const argosy::v1::GetSettingsResponse& all) {
  std::string out;
  for (const auto& key : all.settings())
    out += key.name() + ": " + (is_secret_name(key.name()) ? std::string{redaction} : key.value()) +
           "\n";
  return out;
}

void collect(client& server, bundle& into) {
  using namespace argosy::v1;
  const auto json = [](const auto& answer) { return json_of(answer) + "\n"; };
  into.ask<GetVersionResponse>(server, "version.json", "Query.GetVersion", GetVersionRequest{},
                               json);
  into.ask<GetSettingsResponse>(server, "settings.txt", "Settings.Get", GetSettingsRequest{},
                                settings_text);
  into.ask<ReadMetricsResponse>(server, "metrics.txt", "Diag.ReadMetrics", ReadMetricsRequest{},
                                [](const auto& answer) { return answer.text(); });
  into.ask<ReadActorsResponse>(server, "actors.json", "Diag.ReadActors", ReadActorsRequest{}, json);
  into.ask<GetGraphResponse>(server, "graph.json", "Trace.GetGraph", GetGraphRequest{}, json);
  into.ask<ReadSpansResponse>(server, "trace.perfetto.json", "Diag.ReadSpans", ReadSpansRequest{},
                              [](const auto& answer) {
                                std::vector<trace::finished_span> spans;
                                for (const auto& from : answer.spans())
                                  if (auto span = codec::from_wire(from))
                                    spans.push_back(std::move(*span));
                                return trace::render_chrome_trace(spans);
                              });
  into.ask<ReadLinesResponse>(server, "log.txt", "Diag.ReadLines", ReadLinesRequest{},
                              [](const auto& answer) {
                                std::string out;
                                for (const auto& line : answer.lines()) out += line + "\n";
                                return out;
                              });
  into.ask<ReadLogLevelsResponse>(server, "log-levels.json", "Diag.ReadLogLevels",
                                  ReadLogLevelsRequest{}, json);
  into.ask<ListSettingsChangesResponse>(server, "settings-changes.json", "Settings.ListChanges",
                                        ListSettingsChangesRequest{}, json);
  into.ask<ListClustersResponse>(server, "clusters.json", "Query.ListClusters",
                                 ListClustersRequest{}, json);
  into.ask<ListPoolsResponse>(server, "pools.json", "Query.ListPools", ListPoolsRequest{}, json);
  into.ask<ListNodesResponse>(server, "nodes.json", "Query.ListNodes", ListNodesRequest{}, json);
  into.ask<ListQueuesResponse>(server, "queues.json", "Query.ListQueues", ListQueuesRequest{},
                               json);
  into.ask<ListOperationsResponse>(server, "operations.json", "Query.ListOperations",
                                   ListOperationsRequest{}, json);
  into.ask<schedulerobjects::SchedulingReport>(server, "rounds.txt",
                                               "SchedulerReporting.GetSchedulingReport",
                                               schedulerobjects::SchedulingReportRequest{},
                                               [](const auto& answer) { return answer.report(); });
}

/// Nobody else may read the archive, and an existing file is not written over.
result<void> write_new(const std::string& path, const std::string& bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "wxe");
  if (file == nullptr)
    return fail(ec::invalid_argument,
                "cannot make the file '" + path + "'; does it exist, or may you not write there?");
  std::error_code none;
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, none);
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (const bool closed = std::fclose(file) == 0; whole && closed) return {};
  std::filesystem::remove(path, none);
  return fail(ec::invalid_argument, "cannot write '" + path + "'; is the disk full?");
}

/// Adds what lies on this machine; without a flag, what the usual configuration names, if it is
/// there.
void support_bundle::add_local(session& s, bundle& into) {
  constexpr const char* usual = "/etc/argosy/argosyd.yaml";
  std::error_code none;
  auto file = config_;
  if (file.empty() && data_dir_.empty() && std::filesystem::exists(usual, none)) file = usual;
  auto folder = data_dir_;
  std::string log_file;
  if (!file.empty()) {
    auto text = settings::read_file(file);
    if (!text) {
      into.lack("argosyd.yaml: " + text.error().detail);
    } else {
      settings::sources from;
      from.file = {file, std::move(*text)};
      from.environment = s.env.variable;
      const auto loaded = settings::load_argosyd(from);
      if (!loaded) {
        into.lack("argosyd.yaml: " + loaded.error().detail);
      } else {
        into.add("argosyd.yaml", settings::print_effective(*loaded));
        if (folder.empty()) folder = loaded->value.data_dir;
        log_file = loaded->value.logging.file;
      }
    }
  }
  const auto machine = machine_part(folder);
  into.add(machine.name, machine.content);
  if (folder.empty()) return;
  const auto parts = data_dir_parts(folder, log_file);
  for (const auto& one : parts.found) into.add(one.name, one.content);
  for (const auto& one : parts.missing) into.lack(one);
}

/// Few servers have the port open, so that nothing is lacking when it does not answer.
void support_bundle::add_nats(session& s, bundle& into) {
  for (const auto* page : {"varz", "jsz", "connz"}) {
    access::http_request request;
    request.url = monitor_ + "/" + page;
    request.within = std::chrono::milliseconds{2'000};
    const auto answer = s.fetch(request);
    if (!answer || answer->status != 200) return;
    into.add(std::string{"nats-server/"} + page + ".json", answer->body);
  }
}

result<exit_code> support_bundle::run(session& s) {
  if (!access::is_safe_url(monitor_))
    return fail(ec::invalid_argument,
                fmt::format("--nats-monitor: '{}' is neither https nor http on this machine, and "
                            "nothing else is asked",
                            monitor_));
  auto time = utc_time(s.now_ns()).substr(0, 19);
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  const auto name = "argosy-support-" + time;
  const auto path = file_.empty() ? name + ".tar.gz" : file_;
  bundle all{name};
  add_local(s, all);
  add_nats(s, all);
  auto server = s.server();
  all.add("argosyctl.txt",
          fmt::format("argosyctl {} ({})\nserver {}\nmade {}\n", version_text, commit_text,
                      server ? (*server)->server() : "not reached", utc_time(s.now_ns())));
  if (server)
    collect(**server, all);
  else
    all.no_server(server.error().detail);
  const auto code = all.code();
  const auto missing = all.missing();
  const auto files = all.take();
  const auto bytes = gzip(tar_of(files, s.now_ns() / 1'000'000'000));
  if (!bytes) return fail(bytes.error());
  if (auto written = write_new(path, *bytes); !written) return fail(written.error());
  *s.changed = true;
  s.carried_out = "the archive was written to " + escaped(path);
  if (!missing.empty()) s.out.notice("the archive lacks some parts:\n" + missing);
  s.out.print_line(path);
  return code;
}

}  // namespace

void define_support_bundle(CLI::App& app, command_set& commands) {
  define_verb<support_bundle>(app, commands);
}

}  // namespace argosy::ctl
