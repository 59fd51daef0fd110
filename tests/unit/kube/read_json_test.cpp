// SPDX-License-Identifier: Apache-2.0
// Goal: what an API server sends is read as it stands, without the book-keeping of its fields.
// Method: texts, and the other reader of JSON that the project has.
#include "runtime/kube/read_json.hpp"

#include <gmock/gmock.h>

#include <string>

namespace argosy::kube {

namespace {

using nlohmann::json;

TEST(read_json, reads_values_of_every_kind_as_another_reader_does) {
  for (const std::string text :
       {R"({"a":[1,-2,18446744073709551615,2.5,1e3],"b":{"c":{}},"d":[],"e":"","f":null})",
        R"({"yes":true,"no":false,"text":"a\"b\\c\u00e9\ud83d\ude00\n","twice":1,"twice":2})",
        R"(["2026-11-26T08:00:00Z"])", "7", R"("a")", "null", " {} "})
    EXPECT_EQ(read_json(text), json::parse(text)) << text;
}

TEST(read_json, leaves_out_which_manager_set_which_field) {
  const std::string pod =
      R"({"metadata":{"name":"p","managedFields":[{"manager":"kubelet"}]},"spec":{}})";
  EXPECT_EQ(read_json(R"({"type":"ADDED","object":)" + pod + "}").dump(),
            R"({"object":{"metadata":{"name":"p"},"spec":{}},"type":"ADDED"})");
  EXPECT_EQ(read_json(R"({"items":[)" + pod + "]}").dump(),
            R"({"items":[{"metadata":{"name":"p"},"spec":{}}]})");
}

TEST(read_json, leaves_out_what_nobody_reads_but_no_label_of_that_name) {
  const std::string pod =
      R"({"metadata":{"labels":{"env":"prod","volumes":"2"},"annotations":{"args":"-v"}},"spec":{)"
      R"("containers":[{"name":"main","env":[{"name":"A"}],"args":["x"],"volumeMounts":[]}],)"
      R"("volumes":[{"name":"v"}],"affinity":{"nodeAffinity":{}}}})";
  EXPECT_EQ(
      read_json(pod),
      json::parse(R"({"metadata":{"labels":{"env":"prod","volumes":"2"},)"
                  R"("annotations":{"args":"-v"}},"spec":{"containers":[{"name":"main"}]}})"));
}

TEST(read_json, reads_short_texts_after_long_ones_and_wrong_ones) {
  std::string list = R"({"items":[0)";
  for (int i = 1; i < 30'000; ++i) list += "," + std::to_string(i);
  list += "]}";
  const std::string some = R"({"a":[1,{"b":"c"}]})";
  for (const auto& text : {some, list, some}) {
    EXPECT_EQ(read_json(text), json::parse(text)) << text.substr(0, 50);
    EXPECT_TRUE(read_json(text.substr(0, 8)).is_discarded());
  }
}

TEST(read_json, discards_what_is_not_json) {
  const std::string deep(5'000, '[');
  for (const std::string text : {"", "{", "<html>", R"({"a":1}{"b":2})", R"({"a":1,})",
                                 "{\"a\":\"\xff\"}", "[1e999]", deep.c_str()})
    EXPECT_TRUE(read_json(text).is_discarded()) << text;
}

}  // namespace

}  // namespace argosy::kube
