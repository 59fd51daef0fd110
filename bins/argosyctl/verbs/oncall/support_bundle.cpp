// SPDX-License-Identifier: Apache-2.0
// The verb support-bundle collects what somebody who helps from afar wants to see, without
// secrets, in one archive.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/oncall/redact.hpp"
#include "bins/argosyctl/verbs/oncall/tar_gz.hpp"
#include "bins/version.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/proto/api/scheduler_reporting.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/trace.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/trace/export/chrome_trace.hpp"

namespace argosy::ctl {

namespace {

class support_bundle final : public command {
 public:
  explicit support_bundle(CLI::App& app) {
    app.footer(
        "argosyctl support-bundle\n"
        "argosyctl support-bundle /tmp/bundle.tar.gz && tar tzf /tmp/bundle.tar.gz");
    app.add_option("file", file_,
                   "Where the archive goes; argosy-support-TIME.tar.gz in this folder if it is not "
                   "given. It must not exist yet")
        ->type_name("FILE");
  }
  std::string_view completes() const override { return "files"; }
  result<exit_code> run(session& s) override;

 private:
  std::string file_;
};

/// Collects files. What the server does not give, because of rights or since it fails, is noted in
/// the archive and hinders nothing else.
class bundle {
 public:
  bundle(client& server, std::string folder) : server_(server), folder_(std::move(folder)) {}

  /// Asks for something and keeps what `text` makes of the answer.
  template <class Response, class Request, class Text>
  void ask(const char* name, const char* method, const Request& request, Text text) {
    auto answer = call<Response>(server_, method, request);
    if (answer)
      add(name, text(*answer));
    else
      missing_ += redacted(fmt::format("{}: {} failed: {}\n", name, method, answer.error().detail));
  }

  void add(const char* name, const std::string& content) {
    files_.push_back({folder_ + "/" + name, redacted(content)});
  }

  [[nodiscard]] const std::string& missing() const { return missing_; }
  std::vector<archived_file> take() {
    if (!missing_.empty()) add("missing.txt", missing_);
    return std::move(files_);
  }

 private:
  client& server_;
  std::string folder_;
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

void collect(bundle& into) {
  using namespace argosy::v1;
  const auto json = [](const auto& answer) { return json_of(answer) + "\n"; };
  into.ask<GetVersionResponse>("version.json", "Query.GetVersion", GetVersionRequest{}, json);
  into.ask<GetSettingsResponse>("settings.txt", "Settings.Get", GetSettingsRequest{},
                                settings_text);
  into.ask<ReadMetricsResponse>("metrics.txt", "Diag.ReadMetrics", ReadMetricsRequest{},
                                [](const auto& answer) { return answer.text(); });
  into.ask<ReadActorsResponse>("actors.json", "Diag.ReadActors", ReadActorsRequest{}, json);
  into.ask<GetGraphResponse>("graph.json", "Trace.GetGraph", GetGraphRequest{}, json);
  into.ask<ReadSpansResponse>("trace.perfetto.json", "Diag.ReadSpans", ReadSpansRequest{},
                              [](const auto& answer) {
                                std::vector<trace::finished_span> spans;
                                for (const auto& from : answer.spans())
                                  if (auto span = codec::from_wire(from))
                                    spans.push_back(std::move(*span));
                                return trace::render_chrome_trace(spans);
                              });
  into.ask<ReadLinesResponse>("log.txt", "Diag.ReadLines", ReadLinesRequest{},
                              [](const auto& answer) {
                                std::string out;
                                for (const auto& line : answer.lines()) out += line + "\n";
                                return out;
                              });
  into.ask<ReadLogLevelsResponse>("log-levels.json", "Diag.ReadLogLevels", ReadLogLevelsRequest{},
                                  json);
  into.ask<ListSettingsChangesResponse>("settings-changes.json", "Settings.ListChanges",
                                        ListSettingsChangesRequest{}, json);
  into.ask<ListClustersResponse>("clusters.json", "Query.ListClusters", ListClustersRequest{},
                                 json);
  into.ask<ListPoolsResponse>("pools.json", "Query.ListPools", ListPoolsRequest{}, json);
  into.ask<ListNodesResponse>("nodes.json", "Query.ListNodes", ListNodesRequest{}, json);
  into.ask<ListQueuesResponse>("queues.json", "Query.ListQueues", ListQueuesRequest{}, json);
  into.ask<ListOperationsResponse>("operations.json", "Query.ListOperations",
                                   ListOperationsRequest{}, json);
  into.ask<schedulerobjects::SchedulingReport>("rounds.txt",
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

result<exit_code> support_bundle::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto time = utc_time(s.now_ns()).substr(0, 19);
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  const auto name = "argosy-support-" + time;
  const auto path = file_.empty() ? name + ".tar.gz" : file_;
  bundle all{**server, name};
  all.add("argosyctl.txt", fmt::format("argosyctl {} ({})\nserver {}\nmade {}\n", version_text,
                                       commit_text, (*server)->server(), utc_time(s.now_ns())));
  collect(all);
  const auto missing = all.missing();
  const auto files = all.take();
  const auto bytes = gzip(tar_of(files, s.now_ns() / 1'000'000'000));
  if (!bytes) return fail(bytes.error());
  if (auto written = write_new(path, *bytes); !written) return fail(written.error());
  if (!missing.empty()) s.out.notice("the archive lacks some parts:\n" + missing);
  s.out.print_line(path);
  return exit_code::success;
}

}  // namespace

void define_support_bundle(CLI::App& app, command_set& commands) {
  define_verb<support_bundle>(app, commands);
}

}  // namespace argosy::ctl
