// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RestKit

/// `rest http`.
struct HTTPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "Sends requests, read as lines of JSON, through a private cache.",
        discussion: """
            Reads one JSON object per line from standard input and writes one per line to standard \
            output, in the same order. A request is sent when the response before it is complete, \
            so that it sees what that response stored; run several processes for concurrency. \
            The cache is private (RFC 9111), in memory, and ends with the process.

            Input line:
              {"method": "GET", "url": "http://localhost:8080/a", "headers": {"accept": "*/*"}}
              method      the method, GET if absent
              url         the absolute address
              headers     an object, where a list of strings stands for several field lines of one \
            name, or a list of [name, value] pairs
              body        a string; or bodyBase64, any bytes in base64
              redirect    "follow" or "manual"; manual unless --follow-redirects
              cache       "default", "no-cache", "reload", "no-store", "force-cache" or \
            "only-if-cached", as in the Fetch standard
              principal   the principal of the request; stored responses are never shared between \
            principals

            Output line:
              {"status": 200, "headers": {"content-type": "text/plain"}, "body": "text", …}
              headers     names in lower case; pairs, one for each field line, if the request used \
            pairs, else an object with the values of one name joined by a comma and a space (a \
            list for set-cookie)
              body        the body; null if it is not UTF-8, and bodyBase64 contains it
              source      "network", "cache", "stale", "revalidated" or "unavailable" (a \
            generated 504); age in seconds for "cache" and "stale"
              url         the final URL, if redirects were followed
            or, without a response, {"error": "reason"}. An invalid line does not end the process.

            A token comes from a file or from the environment, never from an argument, which all \
            users of a machine can read. No other process is started. A line with an \
            Authorization field keeps it.

            EXIT CODES: 0 at the end of the input, 1 if a required token is missing, 64 for \
            invalid arguments, 130 after Ctrl-C.

            EXAMPLES:
              echo '{"url": "http://localhost:8080/"}' | rest http
              rest http --token-origin https://api.example --token-file token < requests
            """)

    @Flag(help: "Follow redirects unless a line says \"manual\".")
    var followRedirects = false

    @OptionGroup(title: "TOKEN")
    var token: TokenOptions

    func run() async throws {
        let console = Console.standard()
        let relay = Relay(client: try token.client(), followsRedirects: followRedirects)
        do {
            try await Interruption.guarding {
                for await line in InputLines.ofProcess() where !line.isEmpty {
                    try Task.checkCancellation()
                    console.print(await relay.result(of: line))
                }
                try Task.checkCancellation()
            }
        } catch let interruption as Interruption {
            throw ExitCode(interruption.exitCode)
        }
    }
}
