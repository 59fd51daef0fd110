// SPDX-License-Identifier: Apache-2.0
// The verb diag loglevel shows the levels of the server's log, and changes them for a time.
#include <fmt/format.h>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "messages/proto/argosy/diag.pb.h"
#include "runtime/base/duration.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::ReadLogLevelsRequest;
using argosy::v1::ReadLogLevelsResponse;
using argosy::v1::SetLogLevelRequest;
using argosy::v1::SetLogLevelResponse;

class loglevel_command final : public command {
 public:
  explicit loglevel_command(CLI::App& app) {
    app.footer(
        "argosyctl diag loglevel\n"
        "argosyctl diag loglevel journal=debug --for 10m\n"
        "argosyctl diag loglevel debug --for 30s");
    app.add_option("levels", wanted_,
                   "COMPONENT=LEVEL, or LEVEL for all components; without any, the levels are "
                   "only shown")
        ->type_name("[COMPONENT=]LEVEL");
    app.add_option("--for", time_,
                   "After this time the levels are again what the settings say, for example 10m; "
                   "without it they stay until argosyd ends")
        ->type_name("DURATION");
  }
  std::vector<std::string> formats() const override { return {"table", "json", "csv", "cols="}; }
  result<exit_code> run(session& s) override;

 private:
  [[nodiscard]] result<std::vector<SetLogLevelRequest>> requests() const;

  std::vector<std::string> wanted_;
  std::string time_;
};

result<std::vector<SetLogLevelRequest>> loglevel_command::requests() const {
  std::int64_t nanos = 0;
  if (!time_.empty()) {
    const auto time = parse_duration(time_);
    if (!time) return fail(time.error());
    nanos = std::chrono::nanoseconds{*time}.count();
    if (nanos <= 0) return fail(ec::invalid_argument, "--for takes a time above 0, such as 10m");
    if (wanted_.empty())
      return fail(ec::invalid_argument, "--for goes with a level, such as journal=debug");
  }
  std::vector<SetLogLevelRequest> out;
  for (const auto& word : wanted_) {
    auto& request = out.emplace_back();
    const auto equals = word.find('=');
    if (equals == 0 || equals + 1 == word.size())
      return fail(ec::invalid_argument,
                  "'" + word + "' is no level; write COMPONENT=LEVEL, such as journal=debug");
    if (equals != std::string::npos) request.set_component(word.substr(0, equals));
    request.set_level(equals == std::string::npos ? word : word.substr(equals + 1));
    request.set_duration_ns(nanos);
  }
  return out;
}

result<exit_code> loglevel_command::run(session& s) {
  const auto wanted = requests();
  if (!wanted) return fail(wanted.error());
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  for (const auto& request : *wanted)
    if (auto done = call<SetLogLevelResponse>(**server, "Diag.SetLogLevel", request); !done)
      return fail(std::move(done.error()));
  const auto levels =
      call<ReadLogLevelsResponse>(**server, "Diag.ReadLogLevels", ReadLogLevelsRequest{});
  if (!levels) return fail(levels.error());
  listing out{{{"COMPONENT"}, {"LEVEL"}, {"CHANGED"}, numbers("LEFT")}};
  for (const auto& one : levels->levels()) {
    out.rows.add({one.component(), one.level(), std::string{one.changed() ? "yes" : ""},
                  one.left_ns() == 0 ? cell{}
                                     : cell{human_duration(std::chrono::nanoseconds{one.left_ns()}),
                                            static_cast<double>(one.left_ns())}});
    out.json.push_back(json_of(one));
    out.names.push_back("component/" + one.component());
  }
  if (auto sorted = settle_listing(s, out); !sorted) return fail(std::move(sorted.error()));
  show(s, out);
  return exit_code::success;
}

}  // namespace

void define_diag(CLI::App& app, command_set& commands) {
  define_part<loglevel_command>(app, commands, "loglevel",
                                "Show the levels of the server's log, or change them.");
  app.footer("argosyctl diag loglevel journal=debug --for 10m");
}

}  // namespace argosy::ctl
