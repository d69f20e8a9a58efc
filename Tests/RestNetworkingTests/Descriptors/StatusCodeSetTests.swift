// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import Testing

@Suite struct StatusCodeSetTests {
    @Test(arguments: [
        (StatusCodeSet.successful, 200, true), (.successful, 299, true), (.successful, 300, false),
        (.error, 404, true), (.error, 599, true), (.error, 0, false), (.error, 999, false),
        ([200, 404], 404, true), ([200, 404], 201, false), ([], 200, false), (204, 204, true),
    ])
    func holdsItsCodes(set: StatusCodeSet, code: Int, isMember: Bool) {
        #expect(set.contains(code) == isMember)
    }

    @Test func mergesRangesThatMeet() {
        let set = StatusCodeSet([400...499, 200...205, 206...206, 450...599])
        #expect(set.ranges == [200...206, 400...599])
        #expect(set == StatusCodeSet(200...206).union(.error))
        #expect(set.description == "200-206, 400-599")
    }
}
