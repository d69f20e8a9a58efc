// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import Testing

@Suite struct TemplateTests {
    @Test func describesPlaceholdersAndBraces() {
        let template = Template(parts: [
            .text("repos/{x}/"), .parent("repositories", path: "owner.login"), .text("/issues"),
        ])
        #expect(template.description == "repos/{{x}}/{repositories.owner.login}/issues")
        #expect(template.constantText == nil)
        #expect(Template(text: "issues").constantText == "issues")
        #expect(Template(text: "").constantText == "")
    }

    @Test func listsParentsOnce() {
        let template = Template(parts: [
            .parent("b", path: "id"), .parent("a", path: "id"), .cursorStart,
            .parent("b", path: "x"),
        ])
        #expect(template.parents == ["b", "a"])
    }
}
