// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestRows

@Suite struct CollectionRequestTests {
    @Test(arguments: [
        ("https://example.org/a?token=secret", "GET https://example.org/a?…"),
        ("https://example.org/a", "GET https://example.org/a"),
    ])
    func descriptionHasNoQuery(_ url: String, _ text: String) {
        let request = CollectionRequest(method: "GET", url: url, isPaged: false, user: "digest")
        #expect("\(request)" == text)
        #expect(String(reflecting: request) == text)
    }
}
