// SPDX-License-Identifier: Apache-2.0
// This file writes metrics as Prometheus reads them. It appends to one string, since there may be
// tens of thousands of lines and a stream would need several times as long for each.
#include <prometheus/metric_family.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "runtime/health/metrics.hpp"

namespace argosy::health {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

/// Appends `from` with a backslash before what would end it.
void put_escaped(std::string_view from, bool quoted, std::string& out) {
  for (const char c : from) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (quoted && c == '"')) out += '\\';
    out += c;
  }
}

template <class Number>
void put_digits(Number value, std::string& out) {
  std::array<char, 32> text;
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

void put_number(double value, std::string& out) {
  constexpr double exact = 1e15;
  if (std::isnan(value))
    out += "NaN";
  else if (std::isinf(value))
    out += value > 0 ? "+Inf" : "-Inf";
  else if (std::fabs(value) < exact && value == std::trunc(value))
    put_digits(static_cast<std::int64_t>(value), out);
  else
    put_digits(value, out);
}

void put_labels(const ClientMetric& of, const double* bound, std::string& out) {
  if (of.label.empty() && bound == nullptr) return;
  char before = '{';
  for (const auto& [name, value] : of.label) {
    out += before;
    out += name;
    out += "=\"";
    put_escaped(value, true, out);
    out += '"';
    before = ',';
  }
  if (bound != nullptr) {
    out += before;
    out += "le=\"";
    put_number(*bound, out);
    out += '"';
  }
  out += '}';
}

void put_line(const MetricFamily& family, std::string_view suffix, const ClientMetric& of,
              const double* bound, double value, std::string& out) {
  out += family.name;
  out += suffix;
  put_labels(of, bound, out);
  out += ' ';
  put_number(value, out);
  out += '\n';
}

/// No part of the process has summaries or values without a type.
void put_metric(const MetricFamily& family, const ClientMetric& of, std::string& out) {
  if (family.type != MetricType::Histogram) {
    const bool counter = family.type == MetricType::Counter;
    put_line(family, "", of, nullptr, counter ? of.counter.value : of.gauge.value, out);
    return;
  }
  const auto& times = of.histogram;
  put_line(family, "_count", of, nullptr, static_cast<double>(times.sample_count), out);
  put_line(family, "_sum", of, nullptr, times.sample_sum, out);
  for (const auto& bucket : times.bucket)
    put_line(family, "_bucket", of, &bucket.upper_bound,
             static_cast<double>(bucket.cumulative_count), out);
}

std::string_view name_of(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Histogram:
      return "histogram";
    default:
      return "gauge";
  }
}

void put_family(const MetricFamily& family, std::string& out) {
  out += "# HELP ";
  out += family.name;
  out += ' ';
  put_escaped(family.help, false, out);
  out += "\n# TYPE ";
  out += family.name;
  out += ' ';
  out += name_of(family.type);
  out += '\n';
  for (const auto& metric : family.metric) put_metric(family, metric, out);
}

}  // namespace

std::string metrics_text(
    const std::vector<std::shared_ptr<const prometheus::Collectable>>& sources) {
  std::string out;
  for (const auto& source : sources)
    for (const auto& family : source->Collect()) put_family(family, out);
  return out;
}

}  // namespace argosy::health
