// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/checks/variables.hpp"

#include <algorithm>
#include <string_view>

#include "runtime/base/suggest.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::settings {

namespace {

/// Kubernetes tells of every service in such variables, also of one named argosy.
bool tells_of_service(const std::string& name, const std::vector<std::string>& all) {
  for (const std::string_view part : {"_SERVICE_", "_PORT"})
    for (auto at = name.find(part); at != name.npos; at = name.find(part, at + 1))
      if (std::ranges::find(all, name.substr(0, at) + "_SERVICE_HOST") != all.end()) return true;
  return false;
}

/// Whether whoever sets the variable means one of our programs. None reads a variable that begins
/// with its own name. What begins with ARGOSY_TEST_ is for the tests, which start our programs.
bool seems_ours(const std::string& name) {
  return (name.starts_with("ARGOSY_") && !name.starts_with("ARGOSY_TEST_")) ||
         name.starts_with("ARGOSYD_") || name.starts_with("ARGOSYCTL_");
}

constexpr std::string_view export_prefix = "OTEL_EXPORTER_OTLP_";

/// The variables of an exporter of OpenTelemetry, with those that mean something to other programs
/// alone.
std::vector<std::string> export_variables() {
  std::vector<std::string> out;
  for (const auto* signal : {"", "TRACES_", "METRICS_", "LOGS_", "PROFILES_"})
    for (const auto* what : {"ENDPOINT", "HEADERS", "TIMEOUT", "PROTOCOL", "COMPRESSION",
                             "INSECURE", "CERTIFICATE", "CLIENT_KEY", "CLIENT_CERTIFICATE",
                             "TEMPORALITY_PREFERENCE", "DEFAULT_HISTOGRAM_AGGREGATION"})
      out.push_back(std::string{export_prefix} + signal + what);
  return out;
}

}  // namespace

std::vector<std::string> unknown_variables(const std::vector<std::string>& names) {
  argosyd_settings argosyd;
  agent_settings agent;
  field_table table;
  describe(table, argosyd);
  describe(table, agent);
  // Those of the client.
  std::vector<std::string> known{"ARGOSY_SERVER", "ARGOSY_TOKEN",       "ARGOSY_CONTEXT",
                                 "ARGOSY_OUTPUT", "ARGOSY_CREDENTIALS", "ARGOSY_PAGE"};
  for (const auto path : table.paths()) known.push_back(environment_name(path));
  const auto of_export = export_variables();
  std::vector<std::string> warnings;
  for (const auto& name : names) {
    const bool is_export = name.starts_with(export_prefix);
    if (!is_export && !seems_ours(name)) continue;
    const auto& right = is_export ? of_export : known;
    if (std::ranges::find(right, name) != right.end() || tells_of_service(name, names)) continue;
    warnings.push_back("variable " + name + " names no setting" + did_you_mean(name, right));
  }
  return warnings;
}

}  // namespace argosy::settings
