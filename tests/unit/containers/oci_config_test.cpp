// SPDX-License-Identifier: Apache-2.0
// What becomes of a pod's container and its image for crun.
#include "runtime/backends/container/oci_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace argosy::backends {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct oci_bench {
  model::pod_container container;
  image_facts image;
  oci_request request;

  oci_bench() {
    container.name = "main";
    container.place = "podSpec.containers[0]";
    container.image = "tool:1";
    image.entrypoint = {"/entry"};
    image.command = {"run"};
    image.env = {"PATH=/opt/bin", "LANG=C", "broken"};
    image.working_dir = "/srv";
    image.uid = 12;
    image.gid = 34;
    request.root = "/r";
    request.container = &container;
    request.image = &image;
  }

  json made() { return json::parse(make_oci_config(request).value()); }
  std::string refusal() {
    const auto config = make_oci_config(request);
    return config ? "" : config.error().detail;
  }
};

TEST(oci_config, commands_are_joined_as_kubernetes_does) {
  oci_bench bench;
  EXPECT_THAT(command_of(bench.container, bench.image).value(), ElementsAre("/entry", "run"));
  bench.container.args = {"a"};
  EXPECT_THAT(command_of(bench.container, bench.image).value(), ElementsAre("/entry", "a"));
  bench.container.command = {"c"};
  EXPECT_THAT(command_of(bench.container, bench.image).value(), ElementsAre("c", "a"));
  bench.container.args = {};
  EXPECT_THAT(command_of(bench.container, bench.image).value(), ElementsAre("c"));
  bench.container.command = {};
  bench.image.entrypoint = bench.image.command = {};
  EXPECT_THAT(bench.refusal(), HasSubstr("the image 'tool:1' names no command either"));
}

TEST(oci_config, has_no_rights_and_the_usual_masks) {
  oci_bench bench;
  const auto made = bench.made();
  EXPECT_EQ(made["process"]["noNewPrivileges"], true);
  for (const auto& [kind, list] : made["process"]["capabilities"].items())
    EXPECT_TRUE(list.empty()) << kind;
  EXPECT_THAT(made["linux"]["maskedPaths"], ::testing::Contains("/proc/kcore"));
  EXPECT_THAT(made["linux"]["readonlyPaths"], ::testing::Contains("/proc/sys"));
  EXPECT_EQ(made["process"]["user"]["uid"], 12);
  EXPECT_EQ(made["process"]["cwd"], "/srv");
  EXPECT_FALSE(made["linux"].contains("seccomp"));
  bench.request.seccomp = {R"({"defaultAction":"SCMP_ACT_ERRNO"})"};
  EXPECT_EQ(bench.made()["linux"]["seccomp"]["defaultAction"], "SCMP_ACT_ERRNO");
  bench.request.seccomp.program = "AAAA";
  EXPECT_FALSE(bench.made()["linux"].contains("seccomp"));
  EXPECT_EQ(bench.made()["annotations"]["run.oci.seccomp_bpf_data"], "AAAA");
}

TEST(oci_config, the_environment_of_the_pod_goes_before_that_of_the_image) {
  oci_bench bench;
  bench.container.env = {{"LANG", "de"}, {"X", "1=2"}};
  EXPECT_THAT(bench.made()["process"]["env"], ElementsAre("PATH=/opt/bin", "LANG=de", "X=1=2"));
}

TEST(oci_config, users_that_cannot_be_had_are_refused) {
  oci_bench bench;
  bench.request.one_id = true;
  EXPECT_THAT(bench.refusal(), HasSubstr("user 12 and group 34 cannot be had"));
  bench.request.one_id = false;
  bench.container.user = 0;
  bench.container.non_root = true;
  EXPECT_THAT(bench.refusal(), HasSubstr("runAsNonRoot"));
  bench.container.non_root = false;
  bench.container.working_dir = "here";
  EXPECT_THAT(bench.refusal(), HasSubstr("workingDir 'here' does not begin with '/'"));
}

TEST(oci_config, a_profile_keeps_what_needs_no_right) {
  const std::string text = R"({"defaultAction":"SCMP_ACT_ERRNO","defaultErrnoRet":1,
    "archMap":[{"architecture":"SCMP_ARCH_X86_64","subArchitectures":["SCMP_ARCH_X86"]}],
    "syscalls":[{"names":["read"],"action":"SCMP_ACT_ALLOW","args":null,"includes":{}},
      {"names":["mount"],"action":"SCMP_ACT_ALLOW","includes":{"caps":["CAP_SYS_ADMIN"]}},
      {"names":["bpf"],"action":"SCMP_ACT_ERRNO","excludes":{"caps":["CAP_SYS_ADMIN"]}},
      {"names":["s390_x"],"action":"SCMP_ACT_ALLOW","includes":{"arches":["s390x"]}}]})";
  const auto plain = json::parse(plain_seccomp(text));
  ASSERT_EQ(plain["syscalls"].size(), 2U);
  EXPECT_EQ(plain["syscalls"][0]["names"][0], "read");
  EXPECT_FALSE(plain["syscalls"][0].contains("args"));
  EXPECT_EQ(plain["syscalls"][1]["names"][0], "bpf");
  for (const auto* bad : {"", "[]", "{}", R"({"defaultAction":1,"syscalls":[7]})"})
    EXPECT_NO_THROW(static_cast<void>(plain_seccomp(bad))) << bad;
}

TEST(oci_config, devices_come_from_cdi_files) {
  const std::string text = R"({"cdiVersion":"0.5.0","kind":"nvidia.com/gpu",
    "containerEdits":{"env":["ALL=1"],"mounts":[{"hostPath":"/lib/x","containerPath":"/lib/x",
      "options":["ro"]}]},
    "devices":[{"name":"0","containerEdits":{"deviceNodes":[{"path":"/dev/nvidia0"}]}},
      {"name":"all","containerEdits":{}}]})";
  EXPECT_THAT(cdi_devices(text, "nvidia.com/gpu"), ElementsAre("0"));
  EXPECT_TRUE(cdi_devices(text, "amd.com/gpu").empty());
  device_edits edits;
  EXPECT_FALSE(add_cdi_device(text, "nvidia.com/gpu", "7", edits));
  EXPECT_TRUE(add_cdi_device(text, "nvidia.com/gpu", "0", edits));
  EXPECT_THAT(edits.nodes, ElementsAre("/dev/nvidia0"));
  EXPECT_THAT(edits.env, ElementsAre("ALL=1"));
  ASSERT_EQ(edits.mounts.size(), 1U);
  EXPECT_TRUE(edits.mounts[0].read_only);
  for (const auto* bad :
       {"", "7", R"({"kind":"a/b","devices":7})", R"({"kind":"a/b","devices":[7]})"})
    EXPECT_TRUE(cdi_devices(bad, "a/b").empty()) << bad;
}

TEST(image_facts, are_read_from_a_layout_and_kept) {
  EXPECT_EQ(manifest_in_index(R"({"manifests":[{"digest":"sha256:1"}]})").value(), "sha256:1");
  EXPECT_EQ(config_in_manifest(R"({"config":{"digest":"sha256:2"}})").value(), "sha256:2");
  auto facts = read_image_config(
                   R"({"os":"linux","architecture":"amd64","config":{"Cmd":["a","b"],"Env":["A=1"],
                   "User":"nobody","WorkingDir":"/w","Entrypoint":null}})")
                   .value();
  facts.digest = "sha256:3";
  facts.uid = 7;
  facts.size = 8;
  EXPECT_THAT(facts.command, ElementsAre("a", "b"));
  EXPECT_EQ(decode_facts(encode(facts).value()).value(), facts);
  for (const auto* bad :
       {"", "[]", R"({"manifests":[]})", R"({"manifests":7})", R"({"config":7})"}) {
    EXPECT_FALSE(manifest_in_index(bad)) << bad;
    EXPECT_FALSE(config_in_manifest(bad)) << bad;
  }
  EXPECT_TRUE(read_image_config(R"({"config":7})"));
}

TEST(image_facts, users_are_looked_up_in_the_image) {
  const std::string passwd = "root:x:0:0::/root:/bin/sh\nweb:x:33:34::/:/bin/false\n";
  const std::string group = "root:x:0:\nstaff:x:50:web\n";
  using ids = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(user_of_image("", passwd, group).value(), (ids{0, 0}));
  EXPECT_EQ(user_of_image("web", passwd, group).value(), (ids{33, 34}));
  EXPECT_EQ(user_of_image("web:staff", passwd, group).value(), (ids{33, 50}));
  EXPECT_EQ(user_of_image("33", passwd, group).value(), (ids{33, 34}));
  EXPECT_EQ(user_of_image("7:8", passwd, group).value(), (ids{7, 8}));
  EXPECT_FALSE(user_of_image("nobody", passwd, group));
  EXPECT_FALSE(user_of_image("web:none", passwd, group));
  EXPECT_FALSE(user_of_image("web", "web:x", group));
  EXPECT_EQ(user_of_image("web", "web:x:33", group).value(), (ids{33, 0}));
  EXPECT_EQ(user_of_image("33", "web:x:33", group).value(), (ids{33, 0}));
}

}  // namespace
}  // namespace argosy::backends
