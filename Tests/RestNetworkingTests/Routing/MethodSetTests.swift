// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct MethodSetTests {
    private static let purge = HTTPRequest.Method("PURGE")

    @Test(.parity("N031", "N034"))
    func hasMethodIfItIsTheOnlyOne() throws {
        #expect(MethodSet.post.method == .post)
        #expect(MethodSet.get.method?.rawValue == "GET")
        #expect(MethodSet([.post, .post]).method == .post)
        #expect(try MethodSet(#require(Self.purge)).method == Self.purge)
    }

    @Test(.parity("N032", "N033", "N035"))
    func hasNoSingleMethodOtherwise() {
        #expect(MethodSet.any.method == nil)
        #expect(MethodSet([.get, .post]).method == nil)
        #expect(MethodSet([.get, .delete]).method == nil)
        #expect(MethodSet([]).method == nil)
    }

    @Test func containsItsMethods() throws {
        let purge = try #require(Self.purge)
        let set: MethodSet = [.get, .head, MethodSet(purge)]
        #expect(set.contains(.get) && set.contains(.head) && set.contains(purge))
        #expect(!set.contains(.post) && !set.contains(.trace))
        #expect(MethodSet.any.contains(.patch) && MethodSet.any.contains(purge))
        #expect(!MethodSet([]).contains(.get))
    }

    @Test func unionContainsMethodsOfBoth() throws {
        let purge = try #require(Self.purge)
        #expect(MethodSet.get.union(MethodSet([.post, purge])) == MethodSet([.get, .post, purge]))
        #expect(MethodSet.get.union(.any) == .any)
        #expect(MethodSet.any.union([]) == .any)
    }

    @Test func overlapsIfAMethodIsShared() throws {
        let purge = try #require(Self.purge)
        #expect(MethodSet([.get, .head]).overlaps([.head, .put]))
        #expect(!MethodSet([.get, .head]).overlaps(MethodSet([.put, purge])))
        #expect(MethodSet(purge).overlaps([.get, MethodSet(purge)]))
        #expect(MethodSet.any.overlaps(.put) && MethodSet.put.overlaps(.any))
        #expect(!MethodSet.any.overlaps([]) && !MethodSet([]).overlaps(.any))
        let all: MethodSet = [.get, .post, .put, .delete, .head, .patch, .options]
        #expect(all != .any)
    }

    @Test func ordersByPrecision() {
        #expect(MethodSet.get.precision(for: .get) == .exact)
        #expect(MethodSet([.get, .head]).precision(for: .get) == .combination)
        #expect(MethodSet.any.precision(for: .get) == .any)
        #expect(MethodSet.post.precision(for: .get) == nil)
        #expect(MethodSet.Precision.exact < .combination)
        #expect(MethodSet.Precision.combination < .any)
    }

    @Test func describesItsMethods() {
        #expect(MethodSet([.post, .get]).description == "GET, POST")
        #expect(MethodSet.any.description == "any method")
        #expect(MethodSet([]).description == "no method")
    }
}
