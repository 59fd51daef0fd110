// SPDX-License-Identifier: Apache-2.0
// Runs that have a service and an ingress, on the backend of kubernetes_fixture.hpp.
#pragma once

#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {

struct attached_fixture : kubernetes_fixture {
  static json object(const model::run_key& run, const char* kind, const std::string& name) {
    const bool is_ingress = std::string{kind} == "Ingress";
    json out{{"apiVersion", is_ingress ? "networking.k8s.io/v1" : "v1"},
             {"kind", kind},
             {"metadata",
              {{"name", name},
               {"namespace", "jobs"},
               {"labels", {{"argosy.io/run", to_string(run)}}},
               {"annotations", {{"armada_owner", "alice"}}}}},
             {"spec", json::object()}};
    if (is_ingress)
      out["spec"] = {{"rules", {{{"host", "main-80-" + name + ".jobs."}}}},
                     {"tls", {{{"hosts", {"main-80-" + name + ".jobs."}}}}}};
    return out;
  }

  static run_launch with_objects(const model::run_key& run) {
    auto out = launch_of(run);
    auto order = *out.order;
    order.owner = "alice";
    out.order = std::make_shared<const model::start_run>(order);
    out.owner_groups = {"staff", "system:masters"};
    out.attached = {object(run, "Service", name_of(run) + "-service-0").dump(),
                    object(run, "Ingress", name_of(run) + "-ingress-0").dump()};
    return out;
  }

  model::run_key start_with_objects(std::uint8_t serial) {
    const auto run = run_of(serial);
    backend->start(with_objects(run));
    backend->advance();
    return run;
  }

  static std::string service_of(const model::run_key& run) {
    return "/api/v1/namespaces/jobs/services/" + name_of(run) + "-service-0";
  }
  static std::string ingress_of(const model::run_key& run) {
    return "/apis/networking.k8s.io/v1/namespaces/jobs/ingresses/" + name_of(run) + "-ingress-0";
  }
};

}  // namespace argosy::backends
