// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import Testing

@Suite struct PathPatternParsingTests {
    @Test(arguments: [
        ("/:user-id", ["user"]), ("http://host:8080/:a", ["8080", "a"]), ("/:a_b@c.d", ["a_b@c.d"]),
        ("/: /:/:-", []), ("/:größe", ["größe"]), (#"/:a\:b/\:c"#, ["a"]),
    ])
    func readsNamesOfParameters(text: String, names: [String]) throws {
        #expect(try PathPattern(text).parameters == names)
    }

    @Test(arguments: [
        (#"/:a:b/:c..d/\x/#frag\"#, 5), ("/:a:b", 1), ("/a/../:b", 1), ("/:a./b", 1),
    ])
    func reportsAllErrorsOfPattern(text: String, count: Int) {
        let error = #expect(throws: NetworkingError.self) { try PathPattern(text) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.causes.count == count)
    }
}
