// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestTesting
import Testing

@Suite struct ObjectFactoryTests {
    private let factory = ObjectFactory()

    init() {
        factory.define(User.self) { User(id: 1, name: "first") }
        factory.define(User.self, named: "nobody") { User() }
    }

    @Test func createsAndChangesObjects() throws {
        let user = try factory.make(User.self) { $0.name = "changed" }
        #expect(user.id == 1)
        #expect(user.name == "changed")
        #expect(try factory.make(User.self).name == "first")
        #expect(try factory.make(User.self, named: "nobody").id == nil)
    }

    @Test func createsSharedObjectOnce() throws {
        final class Counter {}
        factory.define(Counter.self) { Counter() }
        let first = try factory.shared(Counter.self)
        #expect(try factory.shared(Counter.self) === first)
        #expect(try factory.make(Counter.self) !== first)
        factory.reset()
        #expect(try factory.shared(Counter.self) !== first)
    }

    @Test func namesMissingDefinition() {
        let error = #expect(throws: ObjectFactoryError.self) {
            try factory.make(User.self, named: "admin")
        }
        #expect(error?.description == "no definition of User named 'admin'")
        #expect(throws: ObjectFactoryError.self) { try factory.make(Int.self) }
    }
}
#endif
