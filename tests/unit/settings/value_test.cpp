// SPDX-License-Identifier: Apache-2.0
// Goal: each type of setting reads what people write, explains what it refuses, and prints what it
// reads back. Method: tables of texts.
#include "runtime/settings/value.hpp"

#include <gmock/gmock.h>

#include "runtime/settings/shared_settings.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::settings {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// Returns the value, or throws the complaint.
template <class T>
T read(std::string_view text) {
  const auto doc = yaml::parse(text, "v");
  if (!doc) throw std::runtime_error(doc.error().detail);
  T value{};
  if (const auto wrong = read_value(doc->root(), value)) throw std::runtime_error(*wrong);
  return value;
}

template <class T>
std::string refusal(std::string_view text) {
  try {
    static_cast<void>(read<T>(text));
  } catch (const std::runtime_error& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(setting_value, durations) {
  EXPECT_EQ(read<milliseconds>("1s"), 1s);
  EXPECT_EQ(read<milliseconds>("20ms"), 20ms);
  EXPECT_EQ(read<milliseconds>("1h30m"), 90min);
  EXPECT_EQ(read<milliseconds>("1.5s"), 1500ms);
  EXPECT_EQ(read<milliseconds>("7d"), 168h);
  EXPECT_EQ(read<milliseconds>("0"), 0ms);
  EXPECT_EQ(refusal<milliseconds>("5"),
            "'5' is not a duration; write for example 20ms, 1s, 1h30m or 7d");
  EXPECT_EQ(refusal<milliseconds>("-1s"),
            "'-1s' is not a duration; write for example 20ms, 1s, 1h30m or 7d");
  EXPECT_EQ(refusal<milliseconds>("1s2"),
            "'1s2' is not a duration; write for example 20ms, 1s, 1h30m or 7d");
  EXPECT_EQ(refusal<milliseconds>("0.0005s"), "'0.0005s' is not a whole number of milliseconds");
  EXPECT_EQ(refusal<milliseconds>("99999999999d"), "'99999999999d' is longer than 100 years");
  EXPECT_EQ(refusal<milliseconds>("[1s]"), "must be a duration such as 1s or 20ms");
  for (const milliseconds value : {0ms, 1ms, 1500ms, 60'000ms, 5'400'000ms, 86'400'000ms})
    EXPECT_EQ(read<milliseconds>(print_value(value)), value) << print_value(value);
  EXPECT_EQ(print_value(milliseconds{36h}), "36h");
  EXPECT_EQ(print_value(milliseconds{168h}), "7d");
}

TEST(setting_value, sizes) {
  EXPECT_EQ(read<byte_size>("512KiB").bytes, 524'288U);
  EXPECT_EQ(read<byte_size>("8MB").bytes, 8'000'000U);
  EXPECT_EQ(read<byte_size>("4Gi").bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(read<byte_size>("10k").bytes, 10'000U);
  EXPECT_EQ(read<byte_size>("0").bytes, 0U);
  EXPECT_EQ(refusal<byte_size>("1.5G"),
            "'1.5G' is not a size; write for example 512KiB, 8MB or 4Gi");
  EXPECT_EQ(refusal<byte_size>("9999999999Ti"), "'9999999999Ti' is too large");
  for (const std::uint64_t bytes : {0ULL, 1000ULL, 1024ULL, 1025ULL, 8ULL << 20})
    EXPECT_EQ(read<byte_size>(print_value(byte_size{bytes})).bytes, bytes);
}

TEST(setting_value, numbers_and_booleans) {
  EXPECT_EQ(read<std::uint32_t>("42"), 42U);
  EXPECT_EQ(refusal<std::uint32_t>("-1"), "'-1' is not a whole number");
  EXPECT_EQ(refusal<std::uint32_t>("\"42\""), "'42' is not a whole number");
  EXPECT_EQ(refusal<std::uint32_t>("5000000000"), "'5000000000' is out of range, 0 to 4294967295");
  EXPECT_EQ(read<double>("0.25"), 0.25);
  EXPECT_EQ(read<double>("1"), 1.0);
  EXPECT_EQ(refusal<double>("nan"), "'nan' is not a number");
  EXPECT_EQ(refusal<double>("1,5"), "'1,5' is not a number");
  EXPECT_TRUE(read<bool>("true"));
  EXPECT_EQ(refusal<bool>("yes"), "'yes' is not true or false");
  EXPECT_EQ(refusal<bool>("{}"), "must be true or false");
  EXPECT_EQ(print_value(1.0), "1.0");
  EXPECT_EQ(read<double>(print_value(0.1)), 0.1);
}

TEST(setting_value, names_suggest_the_nearest) {
  EXPECT_EQ(read<log_level>("debug"), log_level::debug);
  EXPECT_EQ(refusal<log_level>("warn"),
            "'warn' is none of trace, debug, info, warning, error, off; did you mean 'warning'?");
  EXPECT_EQ(refusal<log_level>("eror"),
            "'eror' is none of trace, debug, info, warning, error, off; did you mean 'error'?");
}

TEST(setting_value, lists_and_maps) {
  EXPECT_EQ(read<std::vector<std::string>>("[a, \"b c\"]"), (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(refusal<std::vector<std::string>>("a"), "must be a list, for example [a, b]");
  EXPECT_EQ(read<amount_list>("{cpu: 500m, memory: 1Gi, nvidia.com/gpu: 2}"),
            (amount_list{{"cpu", 500}, {"memory", 1 << 30}, {"nvidia.com/gpu", 2}}));
  EXPECT_THAT(refusal<amount_list>("{cpu: lots}"), ::testing::StartsWith("'cpu': "));
  EXPECT_EQ(print_value(amount_list{{"cpu", 1500}, {"memory", 1 << 30}}),
            "{cpu: 1500m, memory: 1Gi}");
  EXPECT_EQ(read<number_list>("{cpu: 0.5}"), (number_list{{"cpu", 0.5}}));
  EXPECT_EQ(refusal<number_list>("{cpu: x}"), "'cpu': 'x' is not a number");
  EXPECT_EQ(read<std::optional<double>>("null"), std::nullopt);
  EXPECT_EQ(read<std::optional<double>>("0.5"), 0.5);
}

TEST(setting_value, texts_survive_quoting) {
  for (const std::string text : {"plain", "", "true", "null", "007", "a b", "a: b", "#x", "a\"b\\c",
                                 "nats://127.0.0.1:4222", "-x", "line\nline", "ä", "x:"}) {
    EXPECT_EQ(read<std::string>(quote(text)), text) << quote(text);
    EXPECT_EQ(read<std::vector<std::string>>('[' + quote(text) + ']').at(0), text);
  }
  EXPECT_EQ(quote("plain"), "plain");
  EXPECT_EQ(quote("true"), "\"true\"");
}

}  // namespace
}  // namespace argosy::settings
