// SPDX-License-Identifier: Apache-2.0

import RestTesting
import RestTransport
import TestSupport

extension Adapter {
    typealias Difference = HTTPTransportConformance.Difference

    /// Where an adapter differs from the others, and why.
    var differences: [Difference] {
        switch self {
        case .curl: Self.ofLibcurl
        case .urlSession: isLinux ? Self.ofFoundationOnLinux : []
        #if AsyncHTTPClient
        case .asyncHTTPClient: []
        #endif
        }
    }

    private static let ofLibcurl = [
        Difference(
            "A body in a coding nobody knows is passed on as it came, for a cache or a reader to know.",
            .fails(isCertain: true), checks: ["refuses a coding nobody knows"])
    ]

    private static let ofFoundationOnLinux = [
        Difference(
            "Foundation on Linux traps when a connection closes within a header.", .isNotRun,
            checks: [
                "reports a close in the status line", "reports a close in a header field",
                "reports a close before the end of the header",
                "reports a close after an interim response",
                "takes no sized body that is cut in its header",
                "takes no body after an interim response that is cut in its header",
                "takes no chunked body that is cut in its header",
                "takes no compressed body that is cut in its header",
            ]),
        Difference(
            "Foundation joins repeated fields with commas.", .fails(isCertain: true),
            checks: ["sends header fields as they are given", "brings all header fields"]),
        Difference(
            "libcurl takes the end of the body for the end of the compressed stream.",
            .fails(isCertain: true),
            checks: ["refuses gzip that is cut", "refuses deflate that is cut"]),
        Difference(
            "libcurl, under Foundation, goes by the sizes of chunks and lets a version pass.",
            .fails(isCertain: true),
            checks: ["refuses a chunk shorter than its size", "refuses a version that is none"]),
        Difference(
            "libcurl, under Foundation, reads on after a response that has no body.",
            .fails(isCertain: false),
            checks: ["takes no body of 304 Not Modified for the next answer"]),
        Difference(
            "Foundation traps when fields come after the body.", .isNotRun,
            checks: ["takes a trailer"]),
        Difference(
            "Foundation goes on reading interim responses of a task that was cancelled.", .isNotRun,
            checks: ["counts interim responses"]),
        Difference(
            "Foundation does not give up a body it is sending.", .isNotRun,
            checks: ["ends when it is shut down while it sends a body"]),
        Difference(
            "Foundation takes an interim response for the answer, whose body it waits for.",
            .isNotRun,
            checks: ["takes no body after an interim response that is cut in its body"]),
        Difference(
            "Foundation takes an interim response for the answer.", .fails(isCertain: true),
            checks: [100, 102, 103, 199].map { "passes over interim status \($0)" }),
        Difference(
            "Foundation cannot suspend a task that is coming to its end.", .fails(isCertain: true),
            checks: ["stops reading when nobody reads"]),
        Difference(
            "Foundation parses header lines before they can be counted, and has limits of its own.",
            .alsoEnds(
                [.malformedResponse, .connectionLost], at: [.receivingHeader, .receivingBody]),
            checks: [
                "refuses a header of 2 MB", "refuses a header without end",
                "refuses 20,000 header fields",
            ]),
        Difference(
            "Foundation tells the fields, not the bytes of their lines.", .fails(isCertain: true),
            checks: ["counts 65,536 header bytes"]),
        Difference(
            "Foundation tells nothing of connecting.",
            .alsoEnds(
                [.connectionFailed, .connectionLost, .malformedResponse],
                at: [.connecting, .receivingHeader]),
            checks: [
                "reports a secure server that speaks plainly",
                "reports a secure server that closes", "reports a secure server that resets",
                "ends a connection that is not answered",
                "ends a secure connection that is not answered",
            ]),
        Difference(
            "Foundation has one code for no answer and for a wrong one.",
            .alsoEnds([.malformedResponse], at: []),
            checks: [
                "reports a server that closes at once", "reports a server that resets at once",
                "reports a close after the request", "reports a reset after the request",
                "reports a body that is short", "reports a body that is missing",
                "reports a reset in the body", "reports a last chunk that is missing",
                "reports a chunk that is short", "reports a reset in a chunk",
            ]),
    ]
}
