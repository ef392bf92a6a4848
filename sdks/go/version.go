package mcpulse

import (
	"runtime/debug"
	"sync"
)

// Version is that of this package.
const Version = "0.1.0"

const sdkName = "mcpulse-go/" + Version

const mcpSDK = "github.com/modelcontextprotocol/go-sdk"

// mcpSDKVersion is the version of the MCP SDK that this program was built with; empty when nobody wrote it down.
var mcpSDKVersion = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == mcpSDK {
			if module.Replace != nil {
				module = module.Replace
			}
			return module.Version
		}
	}
	return ""
})
