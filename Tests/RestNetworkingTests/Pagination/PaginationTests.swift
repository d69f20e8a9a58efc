// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@testable import RestNetworking

@Suite struct PaginationTests {
    @Test func pageParametersReplaceParametersOfSameName() throws {
        let numbering = PageNumbering(
            parameter: "page", size: 2, sizeParameter: "n", first: 1, end: .emptyPage)
        let parameters = numbering.parameters(
            forPage: 3, adding: ["n": 9, "q": ["x"], "page": nil])
        #expect(try FormFormat().text(of: parameters) == "n=2&page=3&q[]=x")
        #expect(parameters.root.members.map(\.key) == ["q", "page", "n"])
    }
}
