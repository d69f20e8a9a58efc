// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestNetworking
import RestTransport
import TestSupport
import Testing

@Suite struct RequestHistoryTests {
    private func request(_ page: Int) throws -> PageRequest {
        PageRequest(url: try HTTPURL(parsing: "http://base/?page=\(page)"))
    }

    /// Returns the number of requests before a walk with a cycle is detected as endless.
    private func requestCount(lead: Int, cycle: Int) throws -> Int {
        var history = RequestHistory()
        var count = 0
        while true {
            let page = count < lead ? count : lead + (count - lead) % cycle
            guard history.insert(try request(page)) else { return count }
            count += 1
            #expect(history.digestCount <= RequestHistory.windowLength + 1)
        }
    }

    @Test(.threat("T25"), arguments: [1, 2, 3, 63, 64], [0, 1, 100])
    func detectsShortCycleBeforeItsRepetition(cycle: Int, lead: Int) throws {
        #expect(try requestCount(lead: lead, cycle: cycle) == lead + cycle)
    }

    @Test(.threat("T25"), arguments: [65, 100, 1000], [0, 1, 100, 700])
    func detectsLongCycleWithinThreeRounds(cycle: Int, lead: Int) throws {
        #expect(try requestCount(lead: lead, cycle: cycle) <= 3 * (lead + cycle))
    }

    @Test func distinguishesMembersOfBodies() throws {
        var history = RequestHistory()
        let url = try HTTPURL(parsing: "http://base/")
        let members: [Document?] = [nil, ["after": "a"], ["after": "b"], ["after": "a"]]
        let areNew = members.map { history.insert(PageRequest(url: url, members: $0)) }
        #expect(areNew == [true, true, true, false])
    }

    @Test func keepsConstantNumberOfDigests() throws {
        var history = RequestHistory()
        for page in 0..<10_000 {
            let isNew = history.insert(try request(page))
            #expect(isNew)
        }
        #expect(history.digestCount == RequestHistory.windowLength + 1)
    }
}
