// SPDX-License-Identifier: Apache-2.0

import RestTesting
import RestTransport

extension Adapter {
    /// Where an adapter differs from the others, and why.
    var differences: [HTTPTransportConformance.Difference] {
        switch self {
        case .curl: []
        case .urlSession: isLinux ? Self.foundationOnLinux : []
        #if AsyncHTTPClient
        case .asyncHTTPClient: []
        #endif
        }
    }

    private static let foundationOnLinux: [HTTPTransportConformance.Difference] = [
        .init(
            "Foundation on Linux traps when a connection closes within a header.", .isNotRun,
            checks: [
                "reports a close in the status line", "reports a close in a header field",
                "reports a close before the end of the header",
                "reports a close after an interim response",
                "takes no sized body that is cut in its header",
                "takes no body after an interim response that is cut in its header",
                "takes no chunked body that is cut in its header",
                "takes no compressed body that is cut in its header",
            ])
    ]
}
