// SPDX-License-Identifier: Apache-2.0

import RestTesting
import RestTransport

/// The checks of the conformance kit that Foundation does not pass, and why.
enum FoundationDeviations {
    private typealias Deviation = HTTPTransportConformance.Deviation

    /// The deviations of Foundation on Linux.
    static let onLinux = crashes + headers + bodies + connections + errors

    private static let crashes = [
        Deviation(
            "Foundation on Linux traps when a connection closes within a header.", .skips,
            checks: [
                "reports a close in the status line", "reports a close in a header field",
                "reports a close before the end of the header",
                "reports a close after an interim response",
                "rejects a sized body truncated in its header",
                "rejects a body after an interim response truncated in its header",
                "rejects a chunked body truncated in its header",
                "rejects a compressed body truncated in its header",
            ]),
        Deviation(
            "Foundation traps when trailer fields follow the body.", .skips,
            checks: ["accepts a trailer"]),
        Deviation(
            "Foundation keeps reading the interim responses of a cancelled task.", .skips,
            checks: ["limits interim responses"]),
        Deviation(
            "Foundation does not abort a body that it is sending.", .skips,
            checks: ["ends on shutdown while sending a body"]),
        Deviation(
            "Foundation takes an interim response for the final one and waits for its body.",
            .skips,
            checks: ["rejects a body after an interim response truncated in its body"]),
    ]

    private static let headers = [
        Deviation(
            "Foundation joins repeated fields with commas.", .fails(isIntermittent: false),
            checks: ["sends header fields unchanged", "returns all header fields"]),
        Deviation(
            "Foundation takes an interim response for the final one.",
            .fails(isIntermittent: false),
            checks: [100, 102, 103, 199].map { "skips interim status \($0)" }),
        Deviation(
            "Foundation parses header lines before they can be counted, and has limits of its own.",
            .allows(
                [.malformedResponse, .connectionLost], at: [.receivingHeader, .receivingBody]),
            checks: [
                "rejects a header of 2 MB", "rejects an endless header",
                "rejects 20,000 header fields", "stops reading an endless header",
            ]),
        Deviation(
            "Foundation reports fields, not the bytes of their lines.",
            .fails(isIntermittent: false),
            checks: ["limits a header to 65,536 bytes"]),
    ]

    private static let bodies = [
        Deviation(
            "libcurl takes the end of the body for the end of the compressed stream.",
            .fails(isIntermittent: false),
            checks: ["rejects truncated gzip", "rejects truncated deflate"]),
        Deviation(
            "libcurl, under Foundation, trusts the sizes of chunks and accepts any version.",
            .fails(isIntermittent: false),
            checks: ["rejects a chunk shorter than its size", "rejects an invalid HTTP version"]),
        Deviation(
            "libcurl, under Foundation, reads on after a response that has no body.",
            .fails(isIntermittent: true),
            checks: ["never reads a body of 304 Not Modified as the next response"]),
        Deviation(
            "libcurl, under Foundation, does not examine a kept connection.",
            .fails(isIntermittent: false),
            checks: [
                "never reads an idle connection's bytes as the response to GET",
                "ignores 408 on an idle connection before GET",
            ]),
        Deviation(
            "Foundation cannot suspend a task that is about to end.",
            .fails(isIntermittent: false),
            checks: ["applies back-pressure to the server"]),
    ]

    private static let connections = [
        Deviation(
            "Each POST and PATCH has a session of its own, as the libcurl below would repeat them.",
            .fails(isIntermittent: false),
            checks: [
                "reuses the connection of an empty POST", "reuses the connection of an empty PATCH",
            ]),
        Deviation(
            "libcurl, under Foundation, repeats a request whose body Foundation has buffered.",
            .fails(isIntermittent: true),
            checks: ["never sends the header of PUT with a body that is read once twice"]),
        Deviation(
            "libcurl, under Foundation, keeps connections whose framing is faulty.",
            .fails(isIntermittent: true),
            checks: [
                "a transfer coding in HTTP/1.0", "a transfer coding beside a length",
                "bytes behind the last chunk", "bytes behind an empty body", "bytes behind 204",
                "bytes behind 304", "bytes behind the response to HEAD",
                "a field with a malformed name", "a field with a control character",
                "a protocol switch",
            ].map { "leaves a connection after \($0)" }),
    ]

    private static let errors = [
        Deviation(
            "Foundation does not report when a connection is established.",
            .allows(
                [.connectionFailed, .connectionLost, .malformedResponse],
                at: [.connecting, .receivingHeader]),
            checks: [
                "reports plain text from a TLS server",
                "reports a TLS server that closes", "reports a TLS server that resets",
                "times out an unanswered connection",
                "times out an unanswered TLS handshake",
            ]),
        Deviation(
            "Foundation has one code for a missing and for a malformed response.",
            .allows([.malformedResponse], at: []),
            checks: [
                "reports an immediate close", "reports an immediate reset",
                "reports a close after the request", "reports a reset after the request",
                "reports a short body", "reports a missing body",
                "reports a reset in the body", "reports a missing last chunk",
                "reports a short chunk", "reports a reset in a chunk",
            ]),
    ]
}
