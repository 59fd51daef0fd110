// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/settings/settings_change.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

std::string value_of(const std::string& text) {
  return text.empty() ? "(not set)" : text;
}

/// Prints which keys change or would change, and which of them the file says otherwise.
void print_change(session& s, const argosy::v1::ChangeSettingsResponse& done) {
  const auto version = version_text_of(done.version());
  const std::string_view would = done.dry_run() ? "would change" : "changed";
  if (!done.changed().empty() && done.version() != done.version_before())
    s.out.print_line(fmt::format("settings {} from version {} to {}", would,
                                 version_text_of(done.version_before()), version));
  else if (!done.changed().empty())
    s.out.print_line(fmt::format("settings {}; rounds go on by version {}", would, version));
  else if (done.overrides_changed())
    s.out.print_line(fmt::format("what is set through the API {}; each value is as before", would));
  else
    s.out.print_line("nothing changes: the settings are those that run, version " + version);
  for (const auto& key : done.changed()) s.out.print_line("  " + escaped(text_of(key)));
  for (const auto& key : done.overridden())
    s.out.print_line(escaped(fmt::format(
        "  {}: the file says {}, but {} was set through the API and counts; to go by the file: "
        "argosyctl config unset {}",
        key.name(), key.before(), key.after(), key.name())));
}

}  // namespace

result<argosy::v1::ChangeSettingsResponse> update_settings(
    client& server, const argosy::v1::UpdateSettingsRequest& request) {
  auto done =
      call<argosy::v1::ChangeSettingsResponse>(server, "Settings.Update", request, repeatable::no);
  if (!done && perhaps_taken(done.error().code))
    return fail(done.error().code,
                done.error().detail +
                    "; whether it was done is unknown, look with: argosyctl config history");
  return done;
}

std::string text_of(const argosy::v1::ChangedSetting& key) {
  return key.name() + ": " + value_of(key.before()) + " -> " + value_of(key.after());
}

std::string version_text_of(std::uint64_t version) {
  return fmt::format("{:016x}", version);
}

exit_code report_lines(session& s, const error& why) {
  std::istringstream lines{why.detail};
  for (std::string line; std::getline(lines, line);) s.out.error_line(line);
  return exit_code_of(why);
}

void print_warnings(session& s, const argosy::v1::ChangeSettingsResponse& done) {
  for (const auto& text : done.warnings()) s.out.notice("warning: " + escaped(text));
}

exit_code report_change(session& s, const result<argosy::v1::ChangeSettingsResponse>& done) {
  if (!done) return report_lines(s, done.error());
  print_warnings(s, *done);
  if (s.as == format::json)
    s.out.print_line(json_of(*done));
  else
    print_change(s, *done);
  return exit_code::success;
}

}  // namespace argosy::ctl
