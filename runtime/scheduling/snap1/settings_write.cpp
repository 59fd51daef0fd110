// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snap1/settings.hpp"

#include <array>
#include <charconv>

#include "runtime/scheduling/snap1/key_text.hpp"

namespace argosy::scheduling::snap1 {

namespace {

void put(std::string& text, std::string_view key, const std::string& value) {
  text.append("C ").append(key).append(" ").append(value.empty() ? "-" : value).append("\n");
}

template <class List, class Write>
std::string joined(const List& items, std::string_view separator, Write&& write) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += separator;
    text += write(item);
  }
  return text;
}

std::string write_steps(const resource_list& items) {
  return joined(items, ",", [](const auto& item) {
    return plain(item.first) + "=" + std::to_string(item.second);
  });
}

void write_classes(const config& conf, std::string& text) {
  for (const auto& entry : conf.classes) {
    auto flags = std::string(entry.fair_share_preemptible ? "f" : "") +
                 (entry.urgency_preemptible ? "u" : "");
    const auto limits = write_fractions(entry.queue_limit);
    put(text, "priorityClass",
        plain(entry.name) + "=" + std::to_string(entry.priority) + ":" + flags + ":" +
            (entry.name == conf.default_class ? "default" : "") + ":" +
            (limits.empty() ? "-" : limits) +
            (entry.min_run_time_ns == 0 ? "" : ":" + std::to_string(entry.min_run_time_ns)));
  }
  put(text, "wellKnownNodeTypes", joined(conf.node_types, ",", [](const node_type& type) {
        return plain(type.name) + "=" + joined(type.taints, "+", write_taint);
      }));
  for (const auto& entry : conf.classes)
    for (const auto& away : entry.away)
      put(text, "awayNodeTypes",
          plain(entry.name) + "=" + std::to_string(away.priority) + ":" + plain(away.node_type));
}

void write_inventory(const config& conf, std::string& text) {
  put(text, "resources", joined(conf.resources, ",", [](const resource_type& type) {
        return plain(type.name) + "=" + std::to_string(type.milli_per_step);
      }));
  write_classes(conf, text);
  put(text, "indexedSteps", joined(conf.indexed_resources, ",", [](const indexed_resource& entry) {
        return plain(entry.name) + "=" + std::to_string(entry.resolution);
      }));
  put(text, "floatingSteps", joined(conf.floating, ",", [](const floating_resource& entry) {
        auto item = plain(entry.name) + "=" + std::to_string(entry.total);
        if (!entry.pools.empty()) item += ":" + joined(entry.pools, "|", plain);
        return item;
      }));
}

void write_params(const round_params& params, std::string& text) {
  put(text, "pool", plain(params.pool));
  put(text, "seed", std::to_string(static_cast<std::int64_t>(params.seed)));
  put(text, "roundTime", std::to_string(params.round_time_ns));
  put(text, "tokens", decimal(params.tokens));
  put(text, "preemptionTokens", decimal(params.preemption_tokens));
  put(text, "queueTokens", write_fractions(params.queue_tokens));
  if (!params.resource_tokens.empty())
    put(text, "resourceTokens", write_fractions(params.resource_tokens));
  for (const auto& [queue, tokens] : params.queue_resource_tokens)
    put(text, "queueResourceTokens", plain(queue) + ":" + write_fractions(tokens));
  put(text, "usage", write_fractions(params.usage_priority));
  put(text, "closedExecutors", joined(params.closed_executors, ",", plain));
  if (params.draw_limit != 0) put(text, "drawLimit", std::to_string(params.draw_limit));
  for (const auto& [queue, amounts] : params.penalties)
    put(text, "penalty", plain(queue) + ":" + write_steps(amounts));
}

}  // namespace

std::string write_settings(const config& conf, const round_params& params) {
  std::string text;
  for (const auto& which : all_keys())
    if (which.has_value()) put(text, which.path, write_key(which, conf));
  write_inventory(conf, text);
  put(text, "defaultTolerations", joined(conf.default_tolerations, ",", write_toleration));
  write_params(params, text);
  return text;
}

std::string write_fractions(const fraction_list& items) {
  return joined(items, ",",
                [](const auto& item) { return plain(item.first) + "=" + decimal(item.second); });
}

std::string plain(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view kept = "./-*";
  std::string out;
  for (const auto c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const auto is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_word || kept.find(c) != std::string_view::npos)
      out += c;
    else
      out.append(1, '_').append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
  return out;
}

std::string decimal(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::string write_taint(const taint& spot) {
  auto text = plain(spot.key) + "=" + plain(spot.value);
  if (!spot.effect.empty()) text += ":" + plain(spot.effect);
  return text;
}

std::string write_toleration(const toleration& tolerance) {
  if (tolerance.exists && tolerance.key.empty() && tolerance.effect.empty()) return "*";
  auto text = plain(tolerance.key);
  if (!tolerance.exists) text += "=" + plain(tolerance.value);
  if (!tolerance.effect.empty()) text += ":" + plain(tolerance.effect);
  return text;
}

}  // namespace argosy::scheduling::snap1
