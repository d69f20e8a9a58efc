// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Demonstration

@Suite struct PageQueryTests {
    @Test func hasDefaults() throws {
        let query = try PageQuery([("sort", "code")])
        #expect(query == PageQuery())
        #expect(query.number == 1 && query.size == 25)
    }

    @Test(arguments: [
        ("page", "0"), ("page", "-1"), ("page", "x"), ("page", ""), ("page", "9999999999999999999"),
        ("per_page", "0"), ("per_page", "101"), ("per_page", "1e1"),
    ])
    func refusesWhatIsNoNumberInRange(name: String, value: String) {
        #expect(throws: PageQuery.Fault.self) { try PageQuery([(name, value)]) }
    }

    @Test(arguments: [
        (1, 10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), (3, 10, [20, 21, 22]), (4, 10, []),
        (1, 100, [Int](0..<23)),
    ])
    func cutsThePageOut(number: Int, size: Int, page: [Int]) {
        var query = PageQuery()
        query.number = number
        query.size = size
        #expect(Array(query.slice(of: Array(0..<23))) == page)
    }

    @Test(arguments: [
        (1, "next=2 last=3"), (2, "first=1 prev=1 next=3 last=3"), (3, "first=1 prev=2 last=3"),
        (9, "first=1 prev=3 last=3"),
    ])
    func linksToItsNeighbours(number: Int, expected: String) {
        var query = PageQuery()
        query.number = number
        query.size = 10
        let links = expected.split(separator: " ").map { link in
            let parts = link.split(separator: "=")
            return "</a?page=\(parts[1])&per_page=10>; rel=\"\(parts[0])\""
        }
        #expect(query.links(at: "/a", total: 23) == links.joined(separator: ", "))
    }

    @Test func emptyCollectionHasOnePage() {
        #expect(PageQuery().links(at: "/a", total: 0) == "</a?page=1&per_page=25>; rel=\"last\"")
    }
}
