// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import Testing

@Suite struct StatusCodeSetTests {
    @Test(arguments: [
        (StatusCodeSet.successful, 200, true), (.successful, 299, true), (.successful, 300, false),
        (.error, 404, true), (.error, 599, true), (.error, 0, false), (.error, 999, false),
        (StatusCodeSet([200...200, 404...404]), 404, true),
        (StatusCodeSet([200...200, 404...404]), 201, false),
        (StatusCodeSet([]), 200, false), (StatusCodeSet(204...204), 204, true),
    ])
    func containsItsCodes(set: StatusCodeSet, code: Int, isMember: Bool) {
        #expect(set.contains(code) == isMember)
    }

    @Test func describesItselfAsNumbers() {
        let single: StatusCodeSet = 204
        let several: StatusCodeSet = [404, 200, 201]
        #expect(single.ranges == [204...204])
        #expect(several.description == "200-201, 404")
    }

    @Test func mergesAdjoiningRanges() {
        let set = StatusCodeSet([400...499, 200...205, 206...206, 450...599])
        #expect(set.ranges == [200...206, 400...599])
        #expect(set == StatusCodeSet(200...206).union(.error))
        #expect(set.description == "200-206, 400-599")
    }
}
