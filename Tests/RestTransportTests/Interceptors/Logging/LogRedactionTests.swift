// SPDX-License-Identifier: Apache-2.0

import RestTransport
import TestSupport
import Testing

@Suite struct LogRedactionTests {
    @Test(arguments: [
        ("a=1&b=2", "a=1&b=2"), ("token=x", "token=[hidden]"),
        ("Access_Token=x&a=", "Access_Token=[hidden]&a="),
        ("%74oken=x", "%74oken=[hidden]"), ("to%6Ben=x%3D", "to%6Ben=[hidden]"),
        ("api_key=x&apikey=y", "api_key=[hidden]&apikey=[hidden]"),
        ("X-Amz-Signature=x&X-Amz-Security=y", "X-Amz-Signature=[hidden]&X-Amz-Security=y"),
        ("user[password]=x", "user%5Bpassword%5D=[hidden]"), ("code=x=y", "code=[hidden]"),
        ("token", "token"), ("", ""), ("&&=&", "&&=&"),
    ])
    func hidesQueryValues(query: String, shown: String) throws {
        let url = try HTTPURL(parsing: "https://api.test/a?\(query)#secret")
        #expect(LogRedaction.default.redacted(url) == "https://api.test/a?\(shown)")
    }
}
