// SPDX-License-Identifier: Apache-2.0
// Goal: a misspelt variable is told with what was probably meant; those of Kubernetes and of other
// programs are not. Method: names by hand.
#include "runtime/settings/checks/variables.hpp"

#include <gmock/gmock.h>

namespace argosy::settings {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(variables, that_name_nothing_are_told) {
  EXPECT_THAT(unknown_variables({"PATH", "ARGOSY_SERVER", "ARGOSY_CYCLE_PERIOD", "ARGOSY_CLUSTER"}),
              IsEmpty());
  EXPECT_THAT(unknown_variables({"ARGOSY_TEST_WAIT", "ARGOSY_TEST_CYCLE_PEROID"}), IsEmpty())
      << "the tests have them, and start our programs";
  EXPECT_THAT(unknown_variables({"ARGOSY_CYCLE_PEROID"}),
              ElementsAre("variable ARGOSY_CYCLE_PEROID names no setting; did you mean "
                          "'ARGOSY_CYCLE_PERIOD'?"));
  EXPECT_THAT(unknown_variables({"ARGOSY_HEALTH_PORT", "ARGOSY_NATS_PORT", "ARGOSY_X_SERVICE_Y"}),
              ::testing::SizeIs(3));
  EXPECT_THAT(unknown_variables({"ARGOSY_SERVICE_HOST", "ARGOSY_SERVICE_PORT", "ARGOSY_PORT",
                                 "ARGOSY_SERVICE_PORT_GRPC", "ARGOSY_PORT_50051_TCP_ADDR",
                                 "ARGOSY_ARGOSYD_SERVICE_HOST", "ARGOSY_ARGOSYD_PORT"}),
              IsEmpty())
      << "Kubernetes";
  EXPECT_THAT(unknown_variables({"ARGOSYD_HEALTH_LISTEN"}),
              ElementsAre("variable ARGOSYD_HEALTH_LISTEN names no setting; did you mean "
                          "'ARGOSY_HEALTH_LISTEN'?"));
  EXPECT_THAT(unknown_variables({"ARGOSYD_CONFIG", "ARGOSYCTL_SERVER", "ARGOSYDATA"}),
              ::testing::SizeIs(2));
  EXPECT_THAT(unknown_variables({"ARGOSYD_SERVICE_HOST", "ARGOSYD_SERVICE_PORT", "ARGOSYD_PORT"}),
              IsEmpty())
      << "Kubernetes";
  EXPECT_THAT(unknown_variables({"OTEL_EXPORTER_OTLP_ENDPONT"}),
              ElementsAre(HasSubstr("did you mean 'OTEL_EXPORTER_OTLP_ENDPOINT'?")));
  EXPECT_THAT(unknown_variables({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SERVICE_NAME",
                                 "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"}),
              IsEmpty());
}

}  // namespace

}  // namespace argosy::settings
