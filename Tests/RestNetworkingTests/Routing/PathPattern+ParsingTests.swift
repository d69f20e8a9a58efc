// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import Testing

@Suite struct PathPatternParsingTests {
    @Test(arguments: [
        (#"/:a:b/:c..d/\x/#frag\"#, 5), ("/:a:b", 1), ("/a/../:b", 1), ("/:a./b", 1),
    ])
    func reportsAllErrorsOfPattern(text: String, count: Int) {
        let error = #expect(throws: NetworkingError.self) { try PathPattern(text) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.causes.count == count)
    }
}
