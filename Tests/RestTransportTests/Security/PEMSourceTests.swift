// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Testing

@Suite struct PEMSourceTests {
    @Test func descriptionsHideKeys() {
        let identity = TLSConfiguration.Identity(
            certificates: .file("/etc/client.pem"), privateKey: .text("canary"))
        var configuration = TLSConfiguration()
        configuration.identity = identity
        var dumped = ""
        dump(configuration, to: &dumped)
        let texts = ["\(configuration)", String(reflecting: configuration), dumped]
        for text in texts {
            #expect(!text.contains("canary"))
            #expect(!text.contains("99, 97, 110"))
        }
        #expect("\(identity.certificates)" == "PEM file /etc/client.pem")
    }
}
