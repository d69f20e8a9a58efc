// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// A mapped class with a mapped subclass.
class Animal: Mapped {
    var name: String

    init(name: String) {
        self.name = name
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        if property == 0 { try writer.write(name) }
    }

    class var properties: PropertyTable {
        PropertyTable(Animal.self, [Property("name", \Animal.name, String.self)])
    }

    class func makeDraft() -> Draft { Draft() }

    func makeDraft() -> Draft { Draft() }

    class func finish(_ draft: Draft) throws(MappingFailure) -> Self {
        try draft.finish(as: Self.self)
    }

    class Draft: InheritableDraft {
        var name = ""

        func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            if property == 0 { name = try source.read(String.self) }
        }

        func finish() throws(MappingFailure) -> Animal { Animal(name: name) }
    }
}

final class Dog: Animal {
    override class var properties: PropertyTable {
        PropertyTable(Dog.self, [Property("name", \Dog.name, String.self)])
    }

    override class func makeDraft() -> Draft { Draft() }

    override func makeDraft() -> Draft { Draft() }

    final class Draft: Animal.Draft {
        override func finish() throws(MappingFailure) -> Animal { Dog(name: name) }
    }
}
